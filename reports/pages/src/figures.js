// The rows of one file of figures as charts: what is predicted over `at`, what was published beside it, hollow.
// Of places that are numbers lines, of others bars; a chart for each unit.
import * as format from './format.js';
import { colourAt, shapes } from './theme.js';

const kDense = 40; // points from which marks would hide the line
const kWide = 30; // factor from which the axis of points is logarithmic
const kFar = 100; // likewise that of figures

const known = (value) => typeof value === 'number' && Number.isFinite(value);
/** By unit, lines by name: [{ at, predicted, published }]. Rows without `at` are bars of one line, each under its name. */
function groupsOf(rows) {
  const groups = new Map();
  for (const row of rows) {
    if (!known(row.predicted) && !known(row.published)) continue;
    if (!groups.has(row.unit)) groups.set(row.unit, { unit: row.unit, lines: new Map() });
    const { lines } = groups.get(row.unit);
    const name = row.at === null ? '' : row.name;
    if (!lines.has(name)) lines.set(name, { name, points: [] });
    lines.get(name).points.push({ at: row.at ?? row.name, predicted: row.predicted, published: row.published });
  }
  return [...groups.values()].map((group) => ({ ...group, lines: [...group.lines.values()] }));
}

const spans = (values, factor) => Math.min(...values) > 0 && Math.max(...values) >= factor * Math.min(...values);
const tick = (value) => String((Number.isInteger(value) ? value : Number(value.toPrecision(4))).toLocaleString('en', { useGrouping: Math.abs(value) >= 1e5 }));

function chartOf(group, file, id) {
  const places = [...new Set(group.lines.flatMap((line) => line.points.map((point) => point.at)))];
  const numbers = places.map(Number);
  const isLine = places.length > 1 && numbers.every(known);
  const values = group.lines.flatMap((line) => line.points.flatMap((point) => [point.predicted, point.published])).filter(known);
  const dense = places.length > kDense;
  const log = (isLine || dense) && spans(values, kFar);
  const wide = spans(numbers, kWide);
  const series = group.lines.flatMap((line) => ['predicted', 'published'].filter((kind) => line.points.some((point) => known(point[kind]))).map((kind) => ({ ...line, kind })));
  const named = ({ name }) => name || 'predicted';
  const hollow = series.some((line) => line.kind === 'published') ? [{ name: 'published (hollow)', type: 'scatter', symbol: 'diamond', data: [] }] : [];
  const axisName = file.axis ?? '';
  return {
    id, title: group.unit || 'figures', note: file.conditions ?? '', height: 420,
    option(theme, width) {
      const perRow = Math.max(1, Math.floor(width / 300));
      const low = Math.min(...numbers);
      const y = { name: group.unit, nameTextStyle: { align: 'left' }, axisLabel: { formatter: tick }, splitNumber: 6 };
      return {
        legend: { top: 0, itemGap: 16, data: [...new Set([...series, ...hollow].map(named))] },
        grid: { left: width < 600 ? 58 : 76, right: 28, top: 40 + 20 * Math.ceil((group.lines.length + hollow.length) / perRow), bottom: 52 },
        tooltip: {
          trigger: 'item', confine: true,
          formatter: ({ seriesName, data: { point } }) => `<b>${format.escaped(seriesName)}</b><table class="tip"><tr><td>${format.escaped(axisName)}</td><td>${format.escaped(point.at)}</td></tr><tr><td>predicted</td><td>${format.number(point.predicted)}</td></tr><tr><td>published</td><td>${format.number(point.published)}</td></tr></table>`,
        },
        xAxis: {
          name: axisName, nameLocation: 'middle', nameGap: 32,
          ...(isLine ? { type: wide ? 'log' : 'value', logBase: 2, min: wide ? low : undefined, max: wide ? Math.max(...numbers) : undefined, scale: true, axisLabel: { formatter: tick, hideOverlap: true, customValues: wide ? numbers : undefined }, splitLine: { show: !wide } }
            : { type: 'category', data: places, axisTick: { alignWithLabel: true }, axisLabel: { hideOverlap: true, interval: dense ? 'auto' : 0, rotate: dense ? 60 : 0 } }),
        },
        yAxis: { type: log ? 'log' : 'value', min: log ? undefined : 0, ...y },
        series: [...series.map((line) => {
          const i = group.lines.findIndex((each) => each.name === line.name);
          const data = line.points.filter((point) => known(point[line.kind])).map((point) => ({ value: [isLine ? Number(point.at) : point.at, point[line.kind]], point }));
          const outlined = { color: 'transparent', borderColor: colourAt(i), borderWidth: 2 };
          if (line.kind === 'published' && (isLine || dense)) return { name: named(line), type: 'scatter', z: 5, symbol: 'diamond', symbolSize: 13, itemStyle: outlined, data };
          if (isLine || dense) return { name: named(line), type: 'line', symbol: data.length > kDense ? 'none' : shapes[i % shapes.length], symbolSize: 7, color: colourAt(i), lineStyle: { width: 2 }, data };
          return { name: named(line), type: 'bar', barMaxWidth: 46, itemStyle: line.kind === 'published' ? outlined : { color: colourAt(i) }, label: { show: places.length * series.length <= 24, position: 'top', fontSize: 10, color: theme.ink, formatter: ({ value }) => format.number(value[1]) }, data };
        }), ...hollow.map((each) => ({ ...each, itemStyle: { color: theme.ground, borderColor: theme.soft, borderWidth: 2 } }))],
      };
    },
    rows: () => [['series', axisName || 'figure', 'predicted', 'published'], ...group.lines.flatMap((line) => line.points.map((point) => [line.name, point.at, point.predicted ?? '', point.published ?? '']))],
  };
}

export const figureCharts = (file, rows) => groupsOf(rows).map((group, i) => chartOf(group, file, `figure-${i + 1}`));
