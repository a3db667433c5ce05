// Colours: Paul Tol's schemes (personal.sron.nl/~pault, "muted" and "bright"), which stay apart for the colour-blind; what a chart tells
// apart by colour it also tells by order, shape or label. Names are those of the table output.
const light = {
  dark: false, ink: '#1c2733', soft: '#5b6773', line: '#d5dbe1', ground: '#ffffff', accent: '#4477aa', warn: '#b3261e',
};
const dark = {
  dark: true, ink: '#e6ebf0', soft: '#a3afba', line: '#39444f', ground: '#151b21', accent: '#77aadd', warn: '#ff8a80',
};
export const themeOf = (isDark) => (isDark ? dark : light);

// Bottom of the stack first: what stays, then what comes and goes.
const categories = {
  weights: ['weights', '#332288', '#8878dd'],
  weight_copies: ['copies of weights', '#6699cc', '#6699cc'],
  gradients: ['gradients', '#88ccee', '#88ccee'],
  optimizer: ['optimizer state', '#44aa99', '#44aa99'],
  inputs: ['inputs', '#117733', '#3ba55d'],
  saved: ['saved for backward', '#ddcc77', '#ddcc77'],
  activations: ['other activations', '#999933', '#999933'],
  activation_gradients: ['gradients of activations', '#cc6677', '#cc6677'],
  workspace: ['workspace', '#882255', '#c65b94'],
  in_flight: ['in flight', '#aa4499', '#cf7fc4'],
  unused: ['held, unused', '#bbbbbb', '#6b7681'],
};
const causes = {
  compute: ['compute', '#4477aa', '#5b8fc7'],
  recompute: ['recomputation', '#ccbb44', '#ccbb44'],
  swap_in: ['link to near memory', '#ee6677', '#ee6677'],
  swap_out: ['link to far memory', '#aa3377', '#cc66a0'],
  memory: ['memory capacity', '#228833', '#4bb062'],
  fault: ['page faults', '#66ccee', '#66ccee'],
  dependency: ['dependencies', '#bbbbbb', '#8a949d'],
  launch: ['kernel launches', '#777777', '#b0b8bf'],
  update: ['updates in far memory', '#ee8866', '#ee8866'],
  hooks: ["framework's hooks", '#999933', '#bbbb55'],
  exchange: ['exchange between devices', '#44aa99', '#44aa99'],
};
const many = ['#4477aa', '#ee6677', '#228833', '#ccbb44', '#aa3377', '#66ccee', '#ee8866', '#999933', '#882255', '#44aa99'];
export const shapes = ['circle', 'rect', 'triangle', 'diamond'];

const named = (table, key, theme) => {
  const entry = table[key] ?? [key, '#888888', '#888888'];
  return { key, name: entry[0], colour: entry[theme.dark ? 2 : 1] };
};
export const category = (key, theme) => named(categories, key, theme);
export const cause = (key, theme) => named(causes, key, theme);
export const categoryKeys = Object.keys(categories);
export const causeKeys = Object.keys(causes);
export const colourAt = (i) => many[i % many.length];
