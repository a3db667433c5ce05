// Charts of the rows of a sweep, one an axis that has several values: against the link, against the budget, against
// the batch or the sequence.
import * as format from './format.js';
import { colourAt, shapes } from './theme.js';

// Pinned copies to near memory of hwprofiles/links: put there by bundle.mjs.
const namedLinks = NAMED_LINKS;

const kMostLines = 10;

const texts = {
  link_bytes_per_s: (value) => `link ${format.rate(value)}`, memory_bytes: (value) => format.bytes(value), far_memory_bytes: (value) => `far ${format.bytes(value)}`,
  far_throughput_bytes_per_s: (value) => `far ${format.rate(value)}`, batch: (value) => `batch ${value}`, devices: (value) => `${value} devices`, seq: (value) => `seq ${value}`,
  latency_ns: (value) => `latency ${format.time(value)}`, accounting: String, schedule: String, network: String, hardware: String, framework: String, precision: String, file: String,
  schedule_options: String, dtype: String, optimizer: String, allocator: String, mode: String, sub_batch: null,
};
// What makes a line: inputs that rows differ in.
const kKeys = ['file', 'network', 'hardware', 'framework', 'schedule', 'batch', 'seq', 'memory_bytes', 'far_memory_bytes', 'far_throughput_bytes_per_s', 'link_bytes_per_s', 'latency_ns', 'devices', 'precision'];

const axes = {
  link_bytes_per_s: {
    id: 'link', title: 'Slowdown against the rate of the link', name: 'link, each direction', log: true, tick: format.rateTick, text: format.rate,
    y: { of: (row) => row.slowdown, name: 'slowdown', tick: (value) => `${value}x`, text: format.factor },
    note: 'Time of an iteration over that of computing alone. A ring marks the slowest link of the list that comes within 1 % of it; grey lines are links by name, at the rate of pinned copies to near memory in the shipped data.',
  },
  memory_bytes: {
    id: 'budget', title: 'Time against near memory', name: 'budget of near memory', log: false, tick: format.bytesTick, text: format.bytes, stairs: true,
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

const distinct = (rows, key) => [...new Set(rows.map((row) => row[key]))].filter((value) => value !== undefined);

export function sweepCharts(rows, knees) {
  if (!rows.some((row) => row.feasible)) return [];
  const varying = kKeys.filter((key) => distinct(rows, key).length > 1);
  return Object.keys(axes)
    .filter((key) => distinct(rows, key).filter((value) => typeof value === 'number').length > 1)
    .map((key) => chartAgainst(key, rows, knees, varying.filter((each) => each !== key)));
}

/** Where a result has none: of rows that differ in the link alone the slowest link within 1 % of computing alone. */
export function kneesOf(rows) {
  const others = kKeys.filter((key) => key !== 'link_bytes_per_s');
  const best = new Map();
  for (const row of rows) {
    if (!row.feasible || !(row.slowdown <= 1.01) || typeof row.link_bytes_per_s !== 'number') continue;
    const name = JSON.stringify(others.map((key) => row[key]));
    if (!best.has(name) || best.get(name).link_bytes_per_s > row.link_bytes_per_s) best.set(name, row);
  }
  return [...best.values()].map((row) => ({ ...Object.fromEntries([...others, 'schedule'].filter((key) => key in row).map((key) => [key, row[key]])), within_1_percent_link_bytes_per_s: row.link_bytes_per_s }));
}

function linesOf(key, rows, others) {
  const lines = new Map();
  for (const row of rows) {
    const name = others.map((each) => texts[each](row[each])).join(', ') || String(row.schedule);
    if (!lines.has(name)) lines.set(name, { name, rows: [] });
    lines.get(name).rows.push(row);
  }
  for (const line of lines.values()) line.rows.sort((a, b) => a[key] - b[key]);
  return [...lines.values()];
}

function chartAgainst(key, all, knees, others) {
  const axis = axes[key];
  const numbers = all.filter((row) => typeof row[key] === 'number');
  // Too many lines tell nothing: of the other axes one value then, at which something fits, of the job's size the largest;
  // the schedules as they are.
  const fixed = {};
  let rows = numbers;
  for (const each of [...others].reverse()) {
    if (each === 'schedule' || linesOf(key, rows, others.filter((other) => !(other in fixed))).length <= kMostLines) continue;
    const fitting = rows.filter((row) => row.feasible);
    fixed[each] = distinct(fitting.length ? fitting : rows, each).at(each === 'batch' || each === 'seq' ? -1 : 0);
    rows = rows.filter((row) => row[each] === fixed[each]);
  }
  let lines = linesOf(key, rows, others.filter((other) => !(other in fixed)));
  const best = (line) => Math.min(...line.rows.filter((row) => row.feasible).map((row) => row.iteration_time_ns / row.batch));
  const left = lines.length - kMostLines;
  if (left > 0) lines = [...lines].sort((a, b) => best(a) - best(b)).slice(0, kMostLines);
  const said = Object.entries(fixed).map(([each, value]) => texts[each](value));
  const fits = lines.flatMap((line) => line.rows.filter((row) => row.feasible));
  const point = (row, y) => ({ value: [row[key], row.feasible ? y(row) : null], row });
  const isKnee = (row) => knees.some((knee) => knee.within_1_percent_link_bytes_per_s === row.link_bytes_per_s
    && Object.keys(knee).every((each) => !kKeys.includes(each) || each === 'link_bytes_per_s' || knee[each] === row[each]));
  return {
    id: axis.id,
    title: axis.title,
    note: [axis.note, said.length ? `Here ${said.join(', ')}.` : '', left > 0 ? `The ${kMostLines} quickest lines of ${kMostLines + left}.` : ''].filter(Boolean).join(' '),
    height: axis.below ? 620 : 440,
    option(theme, width) {
      const narrow = width < 600;
      const perRow = Math.max(1, Math.floor(width / 190));
      const paged = lines.length > 2 * perRow;
      const top = 30 + 20 * (paged ? 1 : Math.ceil(lines.length / perRow));
      const asked = numbers.map((row) => row[key]);
      const [low, high] = [Math.min(...asked), Math.max(...asked)];
      const x = (gridIndex, name) => ({
        type: axis.log ? 'log' : 'value', gridIndex, name, nameLocation: 'middle', nameGap: 30, min: axis.log ? low : axis.below ? 0 : Math.max(0, low - 0.03 * (high - low)), max: high,
        axisLabel: { formatter: (value) => axis.tick(Number(value.toPrecision(4))), hideOverlap: true, showMinLabel: axis.log || axis.below, showMaxLabel: axis.log || undefined }, minorTick: { show: axis.log, splitNumber: 9 }, splitNumber: narrow ? 3 : 8, splitLine: { show: !axis.log },
      });
      const line = (of, grid) => lines.map((each, i) => ({
        id: `${grid}-${i}`, name: each.name, type: 'line', xAxisIndex: grid, yAxisIndex: grid, step: axis.stairs ? 'end' : false, connectNulls: false,
        symbol: shapes[i % shapes.length], symbolSize: 7, color: colourAt(i), lineStyle: { width: 2, type: ['solid', 'dashed', 'dotted'][Math.floor(i / 4) % 3] },
        data: each.rows.map((row) => point(row, of)),
      }));
      const marks = [];
      const label = (text, colour) => ({ formatter: text, color: colour, position: 'insideEndTop', fontSize: 10 });
      if (key === 'link_bytes_per_s') {
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
      const ringed = key === 'link_bytes_per_s' ? fits.filter(isKnee) : [];
      const ringedAt = new Map();
      for (const row of ringed) ringedAt.set(row[key], [...(ringedAt.get(row[key]) ?? []), row.schedule]);
      const marked = (each, i, data) => (i > 0 || !data.length ? each : { ...each, markLine: { silent: true, symbol: 'none', data } });
      const slowest = Math.max(...fits.map(axis.y.of));
      const left_ = narrow ? 58 : 76;
      return {
        legend: { top: 0, left: 'center', type: paged ? 'scroll' : 'plain', data: lines.map((each) => each.name) },
        grid: axis.below ? [{ left: left_, right: 24, top, height: 290 }, { left: left_, right: 24, bottom: 52, height: 140 }] : [{ left: left_, right: 24, top, bottom: 52 }],
        tooltip: {
          trigger: 'item', confine: true,
          formatter: ({ data, seriesName }) => (data.row ? `<b>${format.escaped(seriesName)}</b><table class="tip">${[
            [axis.name, axis.text(data.row[key])], ['time', format.time(data.row.iteration_time_ns)], ['slowdown', format.factor(data.row.slowdown)], ['samples/s', format.number(data.row.samples_per_s)],
            ['peak, near', format.bytes(data.row.peak_near_bytes)], ['copied', format.bytes(data.row.to_far_bytes + data.row.to_near_bytes)], ['limited by', data.row.limited_by],
          ].map(([name, value]) => `<tr><td>${name}</td><td>${format.escaped(value)}</td></tr>`).join('')}</table>` : ''),
        },
        xAxis: axis.below ? [x(0, ''), x(1, axis.name)] : [x(0, axis.name)],
        yAxis: [
          { type: 'value', min: key === 'link_bytes_per_s' ? 1 - 0.05 * Math.max(0.05, slowest - 1) : 0, max: key === 'link_bytes_per_s' ? Math.max(1.05, slowest) * 1.02 : undefined, name: axis.y.name, nameTextStyle: { align: 'left' }, axisLabel: { formatter: (value) => axis.y.tick(Number(value.toPrecision(3))), showMaxLabel: key !== 'link_bytes_per_s', showMinLabel: key !== 'link_bytes_per_s' } },
          ...(axis.below ? [{ type: 'value', min: 0, gridIndex: 1, name: 'peak of near memory', nameTextStyle: { align: 'left' }, axisLabel: { formatter: format.bytesTick }, splitNumber: 3 }] : []),
        ],
        series: [
          ...line(axis.y.of, 0).map((each, i) => marked(each, i, marks)),
          ...(ringed.length ? [{
            name: 'within 1 %', type: 'scatter', silent: true, z: 10, symbol: 'circle', symbolSize: 17, itemStyle: { color: 'transparent', borderColor: theme.warn, borderWidth: 2 },
            label: { show: true, position: 'top', formatter: ({ data }) => data.text, color: theme.warn, fontSize: 11, backgroundColor: theme.ground, padding: [2, 3] }, labelLayout: { moveOverlap: 'shiftY' },
            data: [...ringedAt].map(([rate, names]) => ({ value: [rate, 1], text: `${names.length > 2 ? `${names.length} schedules` : names.join(', ')}: ${format.rate(rate)} suffices` })),
          }] : []),
          ...(axis.below ? line((row) => row.peak_near_bytes, 1).map((each, i) => marked(each, i, budgets.slice(0, 2).map((budget) => ({ yAxis: budget, lineStyle: { color: theme.warn, type: 'dashed' }, label: label(`budget ${format.bytes(budget)}`, theme.warn) })))) : []),
        ],
      };
    },
    rows: () => {
      const columns = [...new Set([key, ...others, 'feasible', 'iteration_time_ns', 'slowdown', 'samples_per_s', 'peak_near_bytes', 'budget_near_bytes', 'lower_bound_ns'])];
      return [columns, ...numbers.map((row) => columns.map((each) => row[each] ?? ''))];
    },
  };
}

const kPrefix = /^(link|batch|seq|far|latency) /;

export function rowsTable(rows) {
  const varying = kKeys.filter((key) => key !== 'schedule' && distinct(rows, key).length > 1);
  return {
    id: 'rows', title: 'In numbers',
    columns: ['schedule', ...varying.map((key) => key.replace(/_bytes(_per_s)?$|_ns$/, '').replaceAll('_', ' ')), 'time', 'slowdown', 'samples/s', 'peak', 'far', 'limited by'],
    rows: rows.map((row) => [row.schedule, ...varying.map((key) => (row[key] === null ? '–' : texts[key](row[key]).replace(kPrefix, ''))),
      ...(row.feasible ? [format.time(row.iteration_time_ns), format.factor(row.slowdown), format.number(row.samples_per_s), format.bytes(row.peak_near_bytes), format.bytes(row.peak_far_bytes), `${row.limited_by}, ${format.percent(row.limited_share)}`]
        : [row.error ?? 'does not fit', '', '', '', '', ''])]),
    exact: () => [Object.keys(rows[0]), ...rows.map((row) => Object.values(row).map((value) => value ?? ''))],
  };
}
