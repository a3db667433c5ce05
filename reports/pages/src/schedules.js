// Charts of results that lie beside each other: what each schedule takes of memory and time, and where its time goes.
import * as format from './format.js';
import { category, categoryKeys, cause, causeKeys, colourAt } from './theme.js';

export const rowName = ({ inputs, rounds }) => `${inputs.schedule}${rounds > 1 ? ', in rounds' : ''}`;

/** Names of results: with the options of schedules where the same name has several. */
export function namer(results) {
  const count = new Map();
  const brief = (result) => [result.label, rowName(result)].filter(Boolean).join(': ');
  for (const each of results) count.set(brief(each), (count.get(brief(each)) ?? 0) + 1);
  return (result) => (count.get(brief(result)) > 1 && result.inputs.schedule_options ? `${brief(result)} ${result.inputs.schedule_options}` : brief(result));
}

/** Those that no other beats in both, from the smallest peak on. */
export function paretoFront(points) {
  const front = [];
  for (const point of [...points].sort((a, b) => a.x - b.x || a.y - b.y)) {
    if (!front.length || point.y < front.at(-1).y) front.push(point);
  }
  return front;
}

/** Points that lie upon each other share the label of the first: their names. */
function labelled(points, front) {
  const near = (of) => 0.012 * Math.max(...points.map(of));
  const spread = Math.max(...points.map((each) => each.x)) - Math.min(...points.map((each) => each.x));
  const [dx, dy] = [0.012 * spread, near((each) => each.y)];
  const groups = [];
  for (const point of [...front, ...points.filter((each) => !front.includes(each))]) {
    const group = groups.find(([first]) => Math.abs(first.x - point.x) < dx && Math.abs(first.y - point.y) < dy);
    if (group) group.push(point); else groups.push([point]);
  }
  return new Map(groups.map((group) => [group[0].name, group.map((each) => each.name).join(', ')]));
}

const recomputes = (result) => result.stalls_ns.recompute > 0;
const kKinds = [
  ['whole batch', 'circle', (result) => result.rounds === 1 && !recomputes(result)],
  ['recomputes', 'triangle', (result) => result.rounds === 1 && recomputes(result)],
  ['in rounds', 'diamond', (result) => result.rounds > 1],
];

export function paretoChart(results, named) {
  const fitting = results.filter((each) => each.feasible);
  if (!fitting.length) return null;
  const points = fitting.map((result) => ({ result, name: named(result), x: result.peak_near_bytes, y: result.iteration_time_ns }));
  const front = paretoFront(points);
  const budgets = [...new Set(fitting.map((each) => each.budget_near_bytes))];
  const known = fitting.map((each) => each.lower_bound_ns).filter((each) => each !== null);
  const bounds = known.length ? [Math.min(...known)] : [];
  const least = Math.min(...points.map((each) => each.x));
  const most = Math.max(...budgets, ...points.map((each) => each.x));
  return {
    id: 'pareto',
    title: 'Time against peak of near memory',
    note: 'One point a schedule; lower is faster, further left needs less memory. The line joins those that no other beats in both. '
      + `Dashed: ${budgets.length === 1 ? 'the budget' : 'budgets'}${bounds.length ? '; dotted: the lower bound, a time that no such schedule can beat' : ''}.`,
    height: 460,
    option(theme, width) {
      const narrow = width < 600;
      const line = (axis, values, type, text) => values.slice(0, 3).map((value) => ({
        [axis]: value, lineStyle: { type, color: axis === 'xAxis' ? theme.warn : theme.soft, width: 1.5 },
        label: { formatter: text(value), position: axis === 'xAxis' ? 'insideEndTop' : 'insideStartBottom', color: axis === 'xAxis' ? theme.warn : theme.soft },
      }));
      const grid = { left: narrow ? 62 : 78, right: 24, top: 44, bottom: 56 };
      const xs = [Math.max(0, least - 0.12 * (most - least)), most + 0.03 * (most - least)];
      const top = 1.08 * Math.max(...points.map((each) => each.y), ...bounds);
      const names = labelled(narrow ? front : points, front);
      const marks = [...line('xAxis', budgets, 'dashed', (value) => `budget ${format.bytes(value)}`), ...line('yAxis', bounds, 'dotted', (value) => `lower bound ${format.time(value)}`)];
      return {
        legend: { top: 0, data: kKinds.map(([name]) => name) },
        grid: { ...grid, outerBoundsMode: 'none' },
        tooltip: {
          trigger: 'item', confine: true,
          formatter: ({ data }) => (data.point ? pointText(data.point) : ''),
        },
        xAxis: {
          type: 'value', name: 'peak of near memory', nameLocation: 'middle', nameGap: 32, min: xs[0], max: xs[1],
          axisLabel: { formatter: (value) => format.bytesTick(Number(value.toPrecision(4))), hideOverlap: true, showMinLabel: false, showMaxLabel: false }, splitNumber: narrow ? 3 : 6,
        },
        yAxis: { type: 'value', min: 0, max: top, name: 'time of an iteration', axisLabel: { formatter: format.timeTick, showMaxLabel: false }, nameTextStyle: { align: 'left' } },
        series: [
          {
            name: 'front', type: 'line', silent: true, symbol: 'none', lineStyle: { color: theme.accent, width: 2, opacity: 0.6 }, z: 1,
            data: front.map((each) => [each.x, each.y]), markLine: { silent: true, symbol: 'none', data: marks },
          },
          ...kKinds.map(([name, symbol, belongs], i) => ({
            name, type: 'scatter', symbol, symbolSize: symbol === 'circle' ? 11 : 13, itemStyle: { color: colourAt(i), borderColor: theme.ground, borderWidth: 1, opacity: 1 },
            label: { color: theme.ink, fontSize: 11, formatter: ({ data }) => names.get(data.point.name) }, labelLayout: { hideOverlap: true, moveOverlap: 'shiftY' },
            data: points.filter((each) => belongs(each.result)).map((point) => ({
              value: [point.x, point.y], point, label: { show: names.has(point.name), position: point.x > 0.6 * xs[1] + 0.4 * xs[0] ? 'left' : 'right' },
            })),
          })),
        ],
      };
    },
    rows: () => [
      ['name', 'iteration_time_ns', 'peak_near_bytes', 'budget_near_bytes', 'lower_bound_ns', 'rounds'],
      ...points.map(({ result, name }) => [name, result.iteration_time_ns, result.peak_near_bytes, result.budget_near_bytes, result.lower_bound_ns ?? '', result.rounds]),
    ],
  };
}

function pointText({ result, name }) {
  return `<b>${format.escaped(name)}</b><table class="tip">`
    + [['time', format.time(result.iteration_time_ns)], ['slowdown', format.factor(result.slowdown)], ['samples/s', format.number(result.samples_per_s)],
      ['peak, near', format.bytes(result.peak_near_bytes)], ['peak, far', format.bytes(result.peak_far_bytes)],
      ['copied', format.bytes(result.to_far_bytes + result.to_near_bytes)], ['limited by', `${result.limited_by}, ${format.percent(result.limited_share)}`]]
      .map(([key, value]) => `<tr><td>${key}</td><td>${format.escaped(value)}</td></tr>`).join('') + '</table>';
}

/** Bars of several results, a part a key: horizontal, the best on top. */
export function stackedBars({ id, title, note, results, named, parts, tickOf, textOf, mark }) {
  return {
    id, title, note,
    height: 110 + 26 * results.length + 20 * Math.ceil(parts.length / 4),
    option(theme, width) {
      const narrow = width < 600;
      const legendRows = narrow ? Math.ceil(parts.length / 2) : Math.ceil(parts.length / 5);
      return {
        legend: { top: 0, itemWidth: 14, itemHeight: 10, data: parts.map((part) => part.look(theme).name) },
        grid: { left: narrow ? 104 : 170, right: 24, top: 12 + 22 * legendRows, bottom: 34 },
        tooltip: {
          trigger: 'axis', axisPointer: { type: 'shadow' }, confine: true,
          formatter: (shown) => {
            const result = results[shown[0].dataIndex];
            const total = parts.reduce((sum, part) => sum + part.of(result), 0);
            return `<b>${format.escaped(named(result))}</b><table class="tip">${parts.filter((part) => part.of(result) > 0)
              .map((part) => `<tr><td><span style="color:${part.look(theme).colour}">■</span> ${part.look(theme).name}</td><td>${textOf(part.of(result))}</td><td>${format.percent(part.of(result) / total)}</td></tr>`).join('')}`
              + `<tr><td>in all</td><td>${textOf(total)}</td></tr></table>`;
          },
        },
        xAxis: { type: 'value', min: 0, axisLabel: { formatter: tickOf, hideOverlap: true }, splitNumber: narrow ? 3 : 6 },
        yAxis: { type: 'category', inverse: true, data: results.map(named), axisTick: { show: false }, axisLabel: { width: narrow ? 96 : 160, overflow: 'break', interval: 0, fontSize: narrow ? 10 : 12, lineHeight: 13 } },
        series: parts.map((part, i) => ({
          name: part.look(theme).name, type: 'bar', stack: 'all', barMaxWidth: 22, itemStyle: { color: part.look(theme).colour, borderColor: theme.ground, borderWidth: 0.5 },
          data: results.map(part.of),
          markLine: i === 0 && mark ? { silent: true, symbol: 'none', data: [{ xAxis: mark.at }], lineStyle: { color: theme.warn, type: 'dashed' }, label: { formatter: mark.text, color: theme.warn, position: 'start', distance: 2, align: mark.at > 0.9 * Math.max(...results.map((result) => parts.reduce((sum, part) => sum + part.of(result), 0))) ? 'right' : 'center' } } : undefined,
        })),
      };
    },
    rows: () => [['name', ...parts.map((part) => part.key)], ...results.map((result) => [named(result), ...parts.map(part => part.of(result))])],
  };
}

export function timeBars(results, named) {
  const fitting = results.filter((each) => each.feasible);
  if (!fitting.length) return null;
  const of = (key) => (key === 'compute' ? (result) => result.compute_time_ns : (result) => result.stalls_ns[key] ?? 0);
  const parts = causeKeys.map((key) => ({ key, of: of(key), look: (theme) => cause(key, theme) })).filter((part) => fitting.some((each) => part.of(each) > 0));
  return stackedBars({
    id: 'time', title: 'Where the time goes', note: 'Compute, and what compute waits for by cause: together the time of an iteration, to the nanosecond.',
    results: fitting, named, parts, tickOf: format.timeTick, textOf: format.time,
  });
}

export function memoryBars(results, named) {
  const held = (result) => result.peak_near_by_category ?? result.in_core_peak_by_category;
  const fitting = results.filter((each) => held(each));
  if (!fitting.length) return null;
  const lacks = fitting.every((each) => !each.feasible);
  const parts = categoryKeys.map((key) => ({ key, of: (result) => held(result)[key] ?? 0, look: (theme) => category(key, theme) }))
    .filter((part) => fitting.some((each) => part.of(each) > 0));
  const budgets = new Set(fitting.map((each) => each.budget_near_bytes));
  const [budget] = budgets;
  return stackedBars({
    id: 'memory', title: lacks ? 'What would fill near memory if nothing moved' : 'What near memory holds at its peak',
    note: 'At the first instant at which the peak is reached; together the peak, to the byte.',
    results: fitting, named, parts, tickOf: format.bytesTick, textOf: format.bytes,
    mark: budgets.size === 1 ? { at: budget, text: `budget ${format.bytes(budget)}` } : null,
  });
}
