// The page: the answer, its charts, tables and footnotes. All text goes in as text, never as markup.
import { answerTo } from './answers.js';
import { echarts, themed } from './charts.js';
import { csv } from './csv.js';
import { escaped } from './format.js';
import { read } from './read.js';
import style from './style.css';
import { themeOf } from './theme.js';

const chosenTheme = () => document.documentElement.dataset.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');

function add(parent, tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key === 'class') element.className = value; else element[key] = value;
  }
  element.append(...children);
  parent.append(element);
  return element;
}

function download(name, text, type) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

function readDocuments() {
  return [...document.querySelectorAll('script[type="application/json"]')].map((element) => ({
    name: element.dataset.name, json: element.textContent, data: read(element.textContent),
  }));
}

const drawn = [];
const tall = ({ height }, width) => (typeof height === 'function' ? height(width) : height);

const kPrintWidth = 720; // of a drawing on paper, which it fills whatever the paper's size

function draw(entry, { print = false } = {}) {
  const theme = themeOf(chosenTheme() === 'dark');
  const { chart_of: chart, box } = entry;
  const width = print ? kPrintWidth : box.clientWidth;
  entry.chart?.dispose();
  box.style.height = print ? 'auto' : `${tall(chart, width)}px`;
  entry.chart = echarts.init(box, null, print ? { renderer: 'svg', width, height: tall(chart, width) } : { renderer: 'canvas' });
  const option = themed(chart.option(theme, width), theme);
  entry.chart.setOption(print ? { ...option, dataZoom: option.dataZoom?.filter((each) => each.type !== 'slider') } : option);
  if (print) box.querySelector('svg').setAttribute('viewBox', `0 0 ${width} ${tall(chart, width)}`);
  else chart.live?.(entry.chart, theme);
  entry.width = box.clientWidth;
}

function addChart(main, chart, about) {
  const section = add(main, 'section', { id: chart.id });
  add(section, 'h2', {}, chart.title);
  add(section, 'p', { class: 'note' }, chart.note);
  const entry = { chart_of: chart };
  if (chart.choosers?.length) {
    const line = add(section, 'p', { class: 'choosers' });
    for (const chooser of chart.choosers) {
      const select = add(add(line, 'label', {}, `${chooser.label} `), 'select', { onchange: () => { chooser.at = select.selectedIndex; draw(entry); } });
      chooser.choices.forEach((choice) => add(select, 'option', {}, choice));
      select.selectedIndex = chooser.at;
    }
  }
  const box = add(section, 'div', { class: 'chart' });
  entry.box = box;
  box.setAttribute('role', 'img');
  box.setAttribute('aria-label', `${chart.title}. ${chart.note}`);
  if (chart.hint) add(section, 'p', { class: 'hint' }, chart.hint);
  const tools = add(section, 'p', { class: 'tools' });
  add(tools, 'button', { onclick: () => download(`${chart.id}.csv`, csv(chart.rows()), 'text/csv') }, 'CSV');
  add(tools, 'button', { onclick: () => download(`${chart.id}.svg`, svgOf(chart, about, box.clientWidth), 'image/svg+xml') }, 'SVG');
  drawn.push(entry);
  draw(entry);
}

/** A word as a shell takes it. */
const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
const commandOf = (data) => data.tool.command.map(quoted).join(' ');

const assumedText = ({ assumed = [] } = {}) => (assumed.length ? `Assumed, not measured, in the profile: ${assumed.join(', ')}.` : '');

/** What a picture says when it is taken out of its page. */
export const aboutOf = (answer, documents) => ({
  title: answer.title, above: documents.filter(({ data }) => data.tool?.command).map(({ data }) => commandOf(data)), below: [...(answer.below ?? []), assumedText(answer.footnotes)].filter(Boolean),
});

function linesOf(text, most) {
  const lines = [''];
  for (const word of text.split(' ')) {
    if (lines.at(-1).length + word.length + 1 > most && lines.at(-1)) lines.push('');
    lines[lines.length - 1] += `${lines.at(-1) ? ' ' : ''}${word}`;
  }
  return lines;
}

// What XML forbids, or a terminal obeys.
const kUnprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff]/g;

/** Paths of horizontal and vertical strokes, which most are, in half the bytes. */
const shorter = (svg) => svg.replace(/ d="([^"]*)"/g, (all, path) => {
  let [x, y] = [];
  return ` d="${path.replace(/([ML])([\d.-]+) ([\d.-]+)/g, (point, letter, to_x, to_y) => {
    const text = letter === 'M' || (to_x !== x && to_y !== y) ? point : to_y === y ? `H${to_x}` : `V${to_y}`;
    [x, y] = [to_x, to_y];
    return text;
  })}"`;
});

export function svgOf(chart, about, width) {
  const theme = themeOf(false);
  const plain = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height: tall(chart, width) });
  plain.setOption({ ...themed(chart.option(theme, width), theme), dataZoom: [], backgroundColor: theme.ground });
  const drawing = shorter(plain.renderToSVGString());
  plain.dispose();
  const small = Math.floor(width / 6.6);
  const text = (lines, top, step, attributes) => lines.map((line, i) => `<text x="12" y="${top + step * i}" ${attributes}>${escaped(line)}</text>`).join('');
  const titles = linesOf([`${about.title} — ${chart.title}`, chart.said?.()].filter(Boolean).join(', '), Math.floor(width / 10));
  const above = about.above.flatMap((each) => linesOf(each, small));
  const below = about.below.flatMap((each) => linesOf(each, small));
  const top = 12 + 22 * titles.length + 15 * above.length + 10;
  const height = top + tall(chart, width) + 15 * below.length + 12;
  return (`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, DejaVu Sans, Segoe UI, sans-serif">`
    + `<rect width="100%" height="100%" fill="${theme.ground}"/>`
    + text(titles, 26, 22, `font-size="16" font-weight="bold" fill="${theme.ink}"`)
    + text(above, 22 + 22 * titles.length, 15, `font-size="11" fill="${theme.soft}" font-family="ui-monospace, DejaVu Sans Mono, monospace"`)
    + drawing.replace('<svg ', `<svg y="${top}" `)
    + text(below, top + tall(chart, width) + 12, 15, `font-size="11" fill="${theme.soft}"`)
    + '</svg>').replace(kUnprintable, '?');
}

const kRowsShown = 12;

function addTable(main, table) {
  const section = add(main, 'section', { id: table.id });
  add(section, 'h2', {}, table.title);
  if (table.note) add(section, 'p', { class: 'note' }, table.note);
  const scrolled = add(section, 'div', { class: 'scrolled' });
  const element = add(scrolled, 'table');
  const head = add(add(element, 'thead'), 'tr');
  const body = add(element, 'tbody');
  const isNumber = (text) => /^[<–-]?\s?[\d.,]+(e[+-]?\d+)?( ?(x|%|[kMGTP]?B|[kMGTP]?B\/s|[nµm]?s|TFLOP\/s))?$|^–$/.test(text);
  const isOfNumbers = (i) => table.rows.some((row) => row[i] !== '–') && table.rows.every((row) => row[i] === '' || isNumber(String(row[i])));
  table.columns.forEach((column, i) => add(head, 'th', isOfNumbers(i) ? { class: 'number' } : {}, column));
  const show = (rows) => rows.forEach((row) => {
    const line = add(body, 'tr');
    row.forEach((cell) => add(line, 'td', isNumber(String(cell)) ? { class: 'number' } : {}, String(cell)));
  });
  const shown = table.rows.length < kRowsShown + 4 ? table.rows.length : kRowsShown;
  show(table.rows.slice(0, shown));
  const tools = add(section, 'p', { class: 'tools' });
  add(tools, 'button', { onclick: () => download(`${table.id}.csv`, csv(table.exact?.() ?? [table.columns, ...table.rows]), 'text/csv') }, 'CSV');
  if (shown < table.rows.length) {
    const rest = add(section, 'p', { class: 'note printed' }, `The first ${shown} of ${table.rows.length}.`);
    add(tools, 'button', { onclick: (event) => { show(table.rows.slice(shown)); event.target.remove(); rest.remove(); } }, `all ${table.rows.length}`);
  }
}

export function showPage() {
  const documents = readDocuments();
  const answer = answerTo(documents);
  add(document.head, 'style', {}, style);
  const main = add(document.body, 'main');
  const head = add(main, 'header');
  const button = add(head, 'button', { class: 'theme', title: 'light or dark' }, 'light / dark');
  button.onclick = () => {
    document.documentElement.dataset.theme = chosenTheme() === 'dark' ? 'light' : 'dark';
    drawn.forEach((each) => draw(each));
  };
  add(head, 'h1', {}, answer.title);
  for (const { data } of documents) {
    if (data.tool?.command) add(head, 'pre', { class: 'command' }, commandOf(data));
  }
  const facts = add(head, 'dl', { class: 'facts' });
  for (const [name, value] of answer.facts ?? []) {
    const fact = add(facts, 'div');
    add(fact, 'dt', {}, name);
    add(fact, 'dd', {}, String(value));
  }
  answer.charts.forEach((chart) => addChart(main, chart, aboutOf(answer, documents)));
  answer.tables.forEach((table) => addTable(main, table));

  const foot = add(main, 'footer');
  const { remarks = [] } = answer.footnotes ?? {};
  add(foot, 'p', {}, assumedText(answer.footnotes));
  for (const remark of remarks) add(foot, 'p', {}, remark);
  const tools = add(foot, 'p', { class: 'tools' });
  documents.forEach((each, i, { length }) => {
    const name = `${each.data.format.replace('ooc-paleo/', '')}${length > 1 ? `-${i + 1}` : ''}.json`;
    add(tools, 'button', { onclick: () => download(name, each.json, 'application/json') }, name);
  });
  add(foot, 'p', {}, `Predicted by ooc-paleo ${documents[0].data.tool?.version ?? ''}. Charts: Apache ECharts ${echarts.version}.`);

  addEventListener('resize', () => drawn.forEach((each) => { if (each.box.clientWidth !== each.width) draw(each); }));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => drawn.forEach((each) => draw(each)));
  // Paper is white, whatever the screen is, and finer than it.
  addEventListener('beforeprint', () => {
    document.documentElement.dataset.screen = document.documentElement.dataset.theme ?? '';
    document.documentElement.dataset.theme = 'light';
    drawn.forEach((each) => draw(each, { print: true }));
  });
  addEventListener('afterprint', () => {
    document.documentElement.dataset.theme = document.documentElement.dataset.screen;
    drawn.forEach((each) => draw(each));
  });
}
