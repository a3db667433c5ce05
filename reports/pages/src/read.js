/** Files by the names that stand in them: `inputs` has both where they differ. */
function named(value) {
  if (value === null || typeof value !== 'object') return value;
  for (const key of ['network', 'hardware']) if (value[`${key}_name`]) value[key] = value[`${key}_name`];
  Object.values(value).forEach(named);
  return value;
}

export const read = (json) => named(JSON.parse(json));
