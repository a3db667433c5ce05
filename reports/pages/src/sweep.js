// Charts of the rows of a sweep, one an axis that has several values: against the link, against the budget, against
// the batch or the sequence.
import * as format from './format.js';
import { colourAt, shapes } from './theme.js';

// Pinned copies to near memory of hwprofiles/links: put there by bundle.mjs.
const namedLinks = NAMED_LINKS;

const kMostLines = 10;
const kMostTicks = 8; // at the values themselves
const kLink = 'link_bytes_per_s';

/** The text of a column's values, by the unit that its name ends with. */
function textOf(column) {
  if (column.endsWith('_bytes_per_s')) return format.rate;
  if (column.endsWith('_bytes')) return format.bytes;
  return column.endsWith('_ns') ? format.time : (value) => String(value ?? 'none'); // of text: not given
}
const isName = (value) => typeof value === 'string' && value !== 'inf';
/** "batch 256", "vgg16" */
const said = ({ column, label }, value) => (isName(value) ? value : `${label} ${textOf(column)(value)}`);

const axes = {
  link_bytes_per_s: {
    id: 'link', title: 'Slowdown against the rate of the link', name: 'link, each direction', log: true, round: true, tick: format.rateTick, text: format.rate,
    y: { of: (row) => row.slowdown, name: 'slowdown', tick: (value) => `${value}x`, text: format.factor },
    note: 'Time of an iteration over that of computing alone. A ring marks the slowest link of the list that comes within 1 % of it; grey lines are links by name, at the rate of pinned copies to near memory in the shipped data.',
  },
  memory_bytes: {
    id: 'budget', title: 'Time against near memory', name: 'budget of near memory', log: false, round: true, tick: format.bytesTick, text: format.bytes, stairs: true,
    y: { of: (row) => row.iteration_time_ns, name: 'time of an iteration', tick: format.timeTick, text: format.time },
    note: 'A line begins where its schedule first fits. Dashed: what the job needs when nothing moves.',
  },
  batch: {
    id: 'batch', title: 'Samples a second against the batch', name: 'batch', log: false, tick: String, text: String, below: true,
    y: { of: (row) => row.samples_per_s, name: 'samples/s', tick: String, text: format.number },
    note: 'A line ends where its schedule no longer fits. Below, the peak of near memory; dashed: the budget.',
  },
  seq: {
    id: 'seq', title: 'Tokens a second against the length of the sequence', name: 'length of the sequence', log: false, tick: String, text: String, below: true,
    y: { of: (row) => row.tokens_per_s, name: 'tokens/s', tick: String, text: format.number },
    note: 'A line ends where its schedule no longer fits. Below, the peak of near memory; dashed: the budget.',
  },
};

const distinct = (rows, column) => [...new Set(rows.map((row) => row[column]))];

/** Whether a value of one column leaves no choice of the other's: lists that step together. */
const follows = (rows, key, other) => new Set(rows.map((row) => JSON.stringify([row[key], row[other]]))).size === distinct(rows, key).length;

export function sweepCharts(rows, knees, varying) {
  if (!rows.some((row) => row.feasible)) return [];
  return varying
    .filter(({ column }) => distinct(rows, column).filter((value) => typeof value === 'number').length > 1)
    .map((axis) => chartAgainst(axis, rows, knees, varying.filter(({ column }) => column !== axis.column && !follows(rows, axis.column, column))))
    .sort((a, b) => a.place - b.place);
}

function linesOf(key, rows, others) {
  const lines = new Map();
  for (const row of rows) {
    const name = others.map((each) => said(each, row[each.column])).join(', ') || String(row.schedule);
    if (!lines.has(name)) lines.set(name, { name, rows: [] });
    lines.get(name).rows.push(row);
  }
  for (const line of lines.values()) line.rows.sort((a, b) => a[key] - b[key]);
  return [...lines.values()];
}

/** Too many lines tell nothing: the reader chooses one value of the axes that have most of them, the schedules apart. */
function choosersOf(rows, others) {
  const numbers = others.filter(({ column }) => column !== 'schedule').map((axis) => ({ axis, values: distinct(rows, axis.column) }));
  const choosers = [];
  const lines = () => linesOf('', rows, others.filter((axis) => !choosers.some((each) => each.axis === axis))).length;
  while (numbers.length && lines() > kMostLines) {
    const [most] = [...numbers].sort((a, b) => b.values.length - a.values.length);
    choosers.push(numbers.splice(numbers.indexOf(most), 1)[0]);
  }
  // At first the middle of the values at which most fits: a corner of the grid is like no other part of it.
  let left = rows.filter((row) => row.feasible);
  for (const each of choosers) {
    const fits = (value) => left.filter((row) => row[each.axis.column] === value).length;
    const most = Math.max(...each.values.map(fits));
    const fitting = each.values.filter((value) => fits(value) === most);
    const first = fitting[isName(fitting[0]) ? 0 : (fitting.length - 1) >> 1];
    each.at = each.values.indexOf(first);
    left = left.filter((row) => row[each.axis.column] === first);
    each.label = each.axis.label;
    each.choices = each.values.map(textOf(each.axis.column));
  }
  return choosers;
}

function chartAgainst({ column: key, label: name }, all, knees, others) {
  const axis = axes[key] ?? {
    id: name.replaceAll(' ', '-'), title: `Time against ${name}`, name, tick: textOf(key), text: textOf(key),
    y: { of: (row) => row.iteration_time_ns, name: 'time of an iteration', tick: format.timeTick, text: format.time }, note: '',
  };
  const numbers = all.filter((row) => typeof row[key] === 'number');
  const choosers = choosersOf(numbers, others);
  const shownOthers = others.filter((each) => !choosers.some((chooser) => chooser.axis === each));
  const most = linesOf(key, numbers, shownOthers).length;
  const isChosen = (row) => choosers.every(({ axis: { column }, values, at }) => row[column] === values[at]);
  const best = (line) => Math.min(...line.rows.filter((row) => row.feasible).map((row) => row.iteration_time_ns / row.batch));
  const chosenLines = () => {
    const lines = linesOf(key, numbers.filter(isChosen), shownOthers);
    return lines.length > kMostLines ? lines.sort((a, b) => best(a) - best(b)).slice(0, kMostLines) : lines;
  };
  const point = (row, y) => ({ value: [row[key], row.feasible ? y(row) : null], row });
  // A knee is of a line here: their keys, of those that both have, are the same.
  const kneesOf = (lines) => knees.filter((knee) => typeof knee.within_1_percent_link_bytes_per_s === 'number'
    && lines.some(({ rows: [row] }) => ['file', ...others.map(({ column }) => column)].every((column) => !(column in knee) || knee[column] === row[column])));
  return {
    id: axis.id,
    place: Object.keys(axes).indexOf(key) < 0 ? Object.keys(axes).length : Object.keys(axes).indexOf(key),
    title: axis.title,
    note: [axis.note, most > kMostLines ? `The ${kMostLines} quickest of ${most} lines.` : ''].filter(Boolean).join(' '),
    choosers,
    said: () => choosers.map(({ axis: each, values, at }) => said(each, values[at])).join(', '),
    height: axis.below ? 620 : 440,
    option(theme, width) {
      const lines = chosenLines();
      const fits = lines.flatMap((line) => line.rows.filter((row) => row.feasible));
      const narrow = width < 600;
      const perRow = Math.max(1, Math.floor(width / 190));
      const paged = lines.length > 2 * perRow;
      const top = 30 + 20 * (paged ? 1 : Math.ceil(lines.length / perRow));
      const asked = numbers.map((row) => row[key]);
      const [low, high] = [Math.min(...asked), Math.max(...asked)];
      const ticks = distinct(numbers, key);
      const customValues = axis.round || ticks.length > kMostTicks ? undefined : ticks;
      const x = (gridIndex, name) => ({
        type: axis.log ? 'log' : 'value', gridIndex, name, nameLocation: 'middle', nameGap: 30, min: axis.log ? low : axis.below ? 0 : Math.max(0, low - 0.03 * (high - low)), max: high,
        axisTick: { customValues }, axisLabel: { customValues, formatter: (value) => axis.tick(Number(value.toPrecision(12))), hideOverlap: true, showMinLabel: Boolean(axis.log || axis.below), showMaxLabel: Boolean(axis.log || axis.below) }, minorTick: { show: axis.log, splitNumber: 9 }, splitNumber: narrow ? 3 : 8, splitLine: { show: !axis.log },
      });
      const line = (of, grid) => lines.map((each, i) => ({
        id: `${grid}-${i}`, name: each.name, type: 'line', xAxisIndex: grid, yAxisIndex: grid, step: axis.stairs ? 'end' : false, connectNulls: false,
        symbol: shapes[i % shapes.length], symbolSize: 7, color: colourAt(i), lineStyle: { width: 2, type: ['solid', 'dashed', 'dotted'][Math.floor(i / 4) % 3] },
        data: each.rows.map((row) => point(row, of)),
      }));
      const marks = [];
      const label = (text, colour) => ({ formatter: text, color: colour, position: 'insideEndTop', fontSize: 10 });
      if (key === kLink) {
        for (const each of namedLinks) {
          if (each.rate >= low && each.rate <= high) marks.push({ xAxis: each.rate, lineStyle: { color: theme.soft, type: 'dotted', width: 1 }, label: label(each.name, theme.soft) });
        }
      }
      if (key === 'memory_bytes') {
        for (const need of distinct(fits, 'in_core_peak_bytes').filter((each) => each <= high && each >= low).slice(0, 2)) {
          marks.push({ xAxis: need, lineStyle: { color: theme.warn, type: 'dashed', width: 1.5 }, label: label(`nothing moves: ${format.bytes(need)}`, theme.warn) });
        }
      }
      const budgets = distinct(fits, 'budget_near_bytes');
      const ringedAt = new Map();
      for (const knee of key === kLink ? kneesOf(lines) : []) {
        const rate = knee.within_1_percent_link_bytes_per_s;
        ringedAt.set(rate, [...(ringedAt.get(rate) ?? []), shownOthers.map((each) => said(each, knee[each.column])).join(', ')]);
      }
      const marked = (each, i, data) => (i > 0 || !data.length ? each : { ...each, markLine: { silent: true, symbol: 'none', data } });
      const slowest = Math.max(...fits.map(axis.y.of));
      const left_ = narrow ? 58 : 76;
      return {
        legend: { top: 0, left: 'center', type: paged ? 'scroll' : 'plain', data: lines.map((each) => each.name) },
        grid: axis.below ? [{ left: left_, right: 24, top, height: 290 }, { left: left_, right: 24, bottom: 52, height: 140 }] : [{ left: left_, right: 24, top, bottom: 52 }],
        tooltip: {
          trigger: 'item', confine: true,
          formatter: ({ data, seriesName }) => (data.row ? `<b>${format.escaped(seriesName)}</b><table class="tip">${[
            [axis.name, axis.text(data.row[key])], ...others.map(({ column, label: other }) => [other, textOf(column)(data.row[column])]), ['time', format.time(data.row.iteration_time_ns)], ['slowdown', format.factor(data.row.slowdown)], ['samples/s', format.number(data.row.samples_per_s)],
            ['peak, near', format.bytes(data.row.peak_near_bytes)], ['copied', format.bytes(data.row.to_far_bytes + data.row.to_near_bytes)], ['limited by', data.row.limited_by],
          ].map(([name, value]) => `<tr><td>${name}</td><td>${format.escaped(value)}</td></tr>`).join('')}</table>` : ''),
        },
        xAxis: axis.below ? [x(0, ''), x(1, axis.name)] : [x(0, axis.name)],
        yAxis: [
          { type: 'value', min: key === kLink ? 1 - 0.05 * Math.max(0.05, slowest - 1) : 0, max: key === kLink ? Math.max(1.05, slowest) * 1.02 : undefined, name: axis.y.name, nameTextStyle: { align: 'left' }, axisLabel: { formatter: (value) => axis.y.tick(Number(value.toPrecision(12))), showMaxLabel: key !== kLink, showMinLabel: key !== kLink } },
          ...(axis.below ? [{ type: 'value', min: 0, gridIndex: 1, name: 'peak of near memory', nameTextStyle: { align: 'left' }, axisLabel: { formatter: format.bytesTick }, splitNumber: 3 }] : []),
        ],
        series: [
          ...line(axis.y.of, 0).map((each, i) => marked(each, i, marks)),
          ...(ringedAt.size ? [{
            name: 'within 1 %', type: 'scatter', silent: true, z: 10, symbol: 'circle', symbolSize: 17, itemStyle: { color: 'transparent', borderColor: theme.warn, borderWidth: 2 },
            label: { show: true, position: 'top', formatter: ({ data }) => data.text, color: theme.warn, fontSize: 11, backgroundColor: theme.ground, padding: [2, 3] }, labelLayout: ({ labelRect }) => ({ moveOverlap: 'shiftY', dx: Math.min(0, width - 4 - labelRect.x - labelRect.width) }),
            data: [...ringedAt].map(([rate, names]) => ({ value: [rate, 1], text: `${names.length > 1 ? `${names.length} lines: ` : names[0] && `${names[0]}: `}${format.rate(rate)} suffices` })),
          }] : []),
          ...(axis.below ? line((row) => row.peak_near_bytes, 1).map((each, i) => marked(each, i, budgets.slice(0, 2).map((budget) => ({ yAxis: budget, lineStyle: { color: theme.warn, type: 'dashed' }, label: label(`budget ${format.bytes(budget)}`, theme.warn) })))) : []),
        ],
      };
    },
    rows: () => {
      const columns = [...new Set([key, ...others.map(({ column }) => column), 'schedule', 'feasible', 'iteration_time_ns', 'slowdown', 'samples_per_s', 'peak_near_bytes', 'budget_near_bytes', 'lower_bound_ns'])];
      return [columns, ...numbers.filter(isChosen).map((row) => columns.map((each) => row[each] ?? ''))];
    },
  };
}

export function rowsTable(rows, varying) {
  const axesBeside = varying.filter(({ column }) => column !== 'schedule');
  return {
    id: 'rows', title: 'In numbers',
    columns: ['schedule', ...axesBeside.map(({ label }) => label), 'time', 'slowdown', 'samples/s', 'peak', 'far', 'limited by'],
    rows: rows.map((row) => [row.schedule, ...axesBeside.map(({ column }) => textOf(column)(row[column])),
      ...(row.feasible ? [format.time(row.iteration_time_ns), format.factor(row.slowdown), format.number(row.samples_per_s), format.bytes(row.peak_near_bytes), format.bytes(row.peak_far_bytes), `${row.limited_by}, ${format.percent(row.limited_share)}`]
        : [row.error ?? 'does not fit', '', '', '', '', ''])]),
    exact: () => [Object.keys(rows[0]), ...rows.map((row) => Object.values(row).map((value) => value ?? ''))],
  };
}
