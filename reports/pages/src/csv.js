// Rows as CSV (RFC 4180).
const field = (value) => (/[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
export const csv = (rows) => rows.map((row) => `${row.map(field).join(',')}\r\n`).join('');
