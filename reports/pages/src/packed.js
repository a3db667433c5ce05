// JSON as pages hold it (reports/writers/page.cpp): lists of objects by columns, of equal values one; lists of values of
// which each stands once.
function unpacked(value) {
  if (Array.isArray(value)) return value.map(unpacked);
  if (value === null || typeof value !== 'object') return value;
  if ('$which' in value) {
    const values = unpacked(value.$values);
    return value.$which.map((place) => values[place]);
  }
  if (!('$rows' in value)) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, unpacked(each)]));
  const columns = Object.entries(value.$columns).map(([key, column]) => [key, unpacked(column)]);
  const rows = Array.from({ length: value.$rows }, (_, i) => Object.fromEntries(columns.map(([key, column]) => [key, column[column.length === 1 ? 0 : i]])));
  if (value.$of) rows.of = value.$of; // there were more
  return rows;
}

export const read = (text) => named(unpacked(JSON.parse(text)));

/** Files by the names that stand in them: `inputs` has both where they differ. */
function named(value) {
  if (value === null || typeof value !== 'object') return value;
  for (const key of ['network', 'hardware']) if (value[`${key}_name`]) value[key] = value[`${key}_name`];
  Object.values(value).forEach(named);
  return value;
}

const kMark = '$integer '; // integers that a double cannot hold pass as texts

/** The JSON that was packed, to the last digit. */
export function jsonOf(text) {
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) => (/^-?\d{16,}$/.test(token) ? `"${kMark}${token}"` : token));
  return `${JSON.stringify(unpacked(JSON.parse(marked)), null, 1)}\n`.replace(/"\$integer (-?\d+)"/g, '$1');
}
