// Numbers as the program's tables write them (model/base/quantity_io.cpp): four digits and a unit. Exact numbers are
// in the page's JSON and CSV.
const sizes = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
const times = ['ns', 'µs', 'ms', 's'];

function scaled(value, units) {
  let unit = 0;
  let shown = value;
  while (Math.abs(shown) >= 999.95 && unit + 1 < units.length) {
    shown /= 1000;
    unit += 1;
  }
  const digits = unit === 0 && Number.isInteger(shown) ? String(shown) : shown.toPrecision(4);
  return `${Number(digits) >= 1000 ? Math.round(shown) : digits} ${units[unit]}`;
}

const unknown = (value) => value === null || value === undefined || value === '';

export const bytes = (value) => (unknown(value) ? '–' : scaled(value, sizes));
export const time = (value) => (unknown(value) ? '–' : scaled(value, times));
export const rate = (value) => {
  if (unknown(value)) return '–';
  return value === 'inf' ? 'infinite' : `${Number(scaled(value, sizes).split(' ')[0])} ${scaled(value, sizes).split(' ')[1]}/s`;
};
export const percent = (share) => (unknown(share) ? '–' : share > 0 && share < 0.01 ? '< 1 %' : `${(100 * share).toFixed(1)} %`);
/** Of what may be less than nothing. */
export const change = (share) => (unknown(share) ? '–' : `${(100 * share).toFixed(1).replace(/^-0\.0$/, '0.0')} %`);
export const number = (value) => (unknown(value) ? '–' : Number(value.toPrecision(4)).toLocaleString('en'));
export const factor = (value) => (unknown(value) ? '–' : `${value.toFixed(3)}x`);

// Ticks of an axis: as few digits as they need.
const tick = (value, units) => {
  let unit = 0;
  let shown = value;
  while (Math.abs(shown) >= 1000 && unit + 1 < units.length) {
    shown /= 1000;
    unit += 1;
  }
  return `${Number(shown.toPrecision(12))} ${units[unit]}`;
};
export const bytesTick = (value) => (value === 0 ? '0' : tick(value, sizes));
export const timeTick = (value) => (value === 0 ? '0' : tick(value, times));
export const rateTick = (value) => (value === 0 ? '0' : `${tick(value, sizes)}/s`);

export function escaped(text) {
  return String(text).replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);
}
