// The checks of one row of the validation as charts: what is predicted over its points, what was published beside it, hollow.
// Of points that are numbers lines, of others bars; a chart for each unit and each kind of points.
import * as format from './format.js';
import { colourAt, shapes } from './theme.js';

const kDense = 40; // points from which marks would hide the line
const kWide = 30; // factor from which the axis of points is logarithmic
const kFar = 100; // likewise that of figures

const known = (value) => typeof value === 'number' && Number.isFinite(value);
/** One figure of several points, "moDNN, mean": of the line "moDNN", behind the points. */
const isOfAll = (check) => check.points.length === 1 && check.points[0].predicted.length === 1 && (Object.values(check.over)[0] ?? []).length > 1;

/** The figures of a check as [{ at, predicted, published }], of a range its lower end; none of a check that compares several. */
function pointsOf(check) {
  const [first_point] = check.points;
  if (isOfAll(check)) return [{ at: check.name.split(', ').at(-1), predicted: first_point.predicted[0], published: first_point.reference }];
  const names = Object.keys(check.over);
  const first = check.over[names[0]] ?? [check.name];
  const distinct = new Set(first).size === first.length;
  const at = first.map((value, i) => (distinct ? value : names.map((name) => check.over[name][i]).join(', ')));
  if (at.length > 1 && check.points.length === 1) return at.map((value, i) => ({ at: value, predicted: first_point.predicted[i] })); // a trend
  return check.points.filter((point) => point.predicted.length === 1 || check.rule === 'predicted_to').map((point, i) => ({ at: at[i], predicted: point.predicted[0], published: point.reference }));
}

function groupsOf(row) {
  const groups = new Map();
  for (const check of row.checks) {
    const points = pointsOf(check).filter((point) => known(point.predicted) || known(point.published));
    if (!points.length) continue;
    const [over = ''] = Object.keys(check.over);
    const key = `${check.unit}\n${over}`;
    if (!groups.has(key)) groups.set(key, { unit: check.unit, over, lines: [] });
    const { lines } = groups.get(key);
    const name = isOfAll(check) ? check.name.split(', ').slice(0, -1).join(', ') || check.name : check.name;
    const same = lines.find((line) => line.name === name);
    if (over && same) points.forEach((point) => { Object.assign(same.points.find((each) => each.at === point.at) ?? same.points[same.points.push({}) - 1], point); });
    else if (over) lines.push({ name, points });
    else if (lines.length) lines[0].points.push(...points);
    else lines.push({ name: '', points });
  }
  return [...groups.values()];
}

const spans = (values, factor) => Math.min(...values) > 0 && Math.max(...values) >= factor * Math.min(...values);
const tick = (value) => String((Number.isInteger(value) ? value : Number(value.toPrecision(4))).toLocaleString('en', { useGrouping: Math.abs(value) >= 1e5 }));

function chartOf(group, row, id) {
  const places = [...new Set(group.lines.flatMap((line) => line.points.map((point) => point.at)))];
  const numbers = places.map(Number);
  const isLine = group.over !== '' && places.length > 1 && numbers.every(known);
  const values = group.lines.flatMap((line) => line.points.flatMap((point) => [point.predicted, point.published])).filter(known);
  const dense = places.length > kDense;
  const log = (isLine || dense) && spans(values, kFar);
  const wide = spans(numbers, kWide);
  const series = group.lines.flatMap((line) => ['predicted', 'published'].filter((kind) => line.points.some((point) => known(point[kind]))).map((kind) => ({ ...line, kind })));
  const named = ({ name }) => name || 'predicted';
  const hollow = series.some((line) => line.kind === 'published') ? [{ name: 'published (hollow)', type: 'scatter', symbol: 'diamond', data: [] }] : [];
  const axisName = (group.over && row.axis) || group.over;
  return {
    id, title: group.unit || 'figures', note: row.conditions, height: 420,
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

/** Of results from before points were named none. */
export function figureCharts(row) {
  if (!row.checks.every((check) => check.over)) return [];
  return groupsOf(row).map((group, i) => chartOf(group, row, `figure-${i + 1}`));
}
