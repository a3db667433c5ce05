// What `calibrate` measured: throughput of copies against size, a panel a direction.
// Marks are medians, lines what the profile keeps.
import * as format from './format.js';
import { colourAt, shapes } from './theme.js';

const kDirections = { to_near: 'to near memory', to_far: 'to far memory' };
const kModes = { pinned: 'pinned', pageable: 'pageable', unified_prefetch: 'unified, prefetch', unified_fault: 'unified, on demand' };

/** `panels`: [{ name, x: { name, tick }, tick, lines: [{ name, points: [[size, rate, row]], kept: [[size, rate]] }] }], below each other. */
function panelsChart({ id, title, note, panels, columns, tip }) {
  const names = [...new Set(panels.flatMap((panel) => panel.lines.map((line) => line.name)))];
  const step = 300;
  return {
    id, title, note,
    height: 60 + step * panels.length,
    option(theme, width) {
      const narrow = width < 600;
      const rows = Math.ceil(names.length / (narrow ? 1 : 4));
      const top = 34 + 20 * rows;
      const tall = (60 + step * panels.length - top) / panels.length;
      return {
        legend: { top: 0, data: names },
        grid: panels.map((_, i) => ({ left: narrow ? 72 : 90, right: 30, top: top + tall * i, height: tall - 84 })),
        tooltip: { trigger: 'item', confine: true, formatter: ({ data, seriesName }) => (data.row ? `<b>${format.escaped(seriesName)}</b><table class="tip">${tip(data.row).map(([key, value]) => `<tr><td>${key}</td><td>${format.escaped(value)}</td></tr>`).join('')}</table>` : '') },
        xAxis: panels.map(({ x }, gridIndex) => ({ type: 'log', gridIndex, name: x.name, nameLocation: 'middle', nameGap: 28, axisLabel: { formatter: (value) => x.tick(Number(value.toPrecision(3))), hideOverlap: true }, splitNumber: narrow ? 3 : 6, min: 'dataMin', max: 'dataMax' })),
        yAxis: panels.map(({ name, tick }, gridIndex) => ({ type: 'log', gridIndex, name, nameTextStyle: { align: 'left' }, axisLabel: { formatter: (value) => tick(Number(value.toPrecision(3))), hideOverlap: true } })),
        series: panels.flatMap(({ lines }, i) => lines.flatMap((line) => {
          const at = names.indexOf(line.name);
          const common = { name: line.name, xAxisIndex: i, yAxisIndex: i, color: colourAt(at) };
          return [
            { ...common, type: 'scatter', symbol: shapes[at % 4], symbolSize: 8, data: line.points.map(([x, y, row]) => ({ value: [x, y], row })) },
            { ...common, type: 'line', silent: true, symbol: 'none', lineStyle: { width: 1.5 }, data: line.kept },
          ];
        })),
      };
    },
    rows: () => [columns, ...panels.flatMap((panel) => panel.lines.flatMap((line) => line.points.map((point, i) => [panel.name, line.name, point[0], point[1], line.kept[i]?.[1] ?? ''])))],
  };
}

const perSecond = (bytes, ns) => (bytes * 1e9) / ns;

function copiesChart(copies) {
  const panels = Object.entries(kDirections).map(([direction, name]) => ({
    name, x: { name: 'size of one copy', tick: format.bytesTick }, tick: format.rateTick,
    lines: copies.filter((copy) => copy.direction === direction).map((copy) => ({
      name: kModes[copy.mode] ?? copy.mode,
      points: copy.sizes.map((size) => [size.bytes, perSecond(size.bytes, size.median_ns), size]),
      kept: copy.sizes.map((size) => [size.bytes, perSecond(size.bytes, size.kept_ns)]),
    })),
  })).filter((panel) => panel.lines.length);
  if (!panels.length) return null;
  return panelsChart({
    id: 'copies', title: 'Bandwidth of the link against size', note: 'Marks: bytes over the median time of one copy; lines: what the profile keeps, latency and rate or a measured curve. Both axes are logarithmic.',
    panels, columns: ['direction', 'mode', 'bytes', 'measured_bytes_per_s', 'kept_bytes_per_s'],
    tip: (size) => [['size', format.bytes(size.bytes)], ['median', format.time(size.median_ns)], ['profile says', format.time(size.kept_ns)], ['rate', format.rate(perSecond(size.bytes, size.median_ns))], ['profile off by', format.change(size.kept_ns / size.median_ns - 1)]],
  });
}

export function calibrationAnswer(documents) {
  const [{ data }] = documents;
  return {
    title: `${data.profile}: measured, and what the profile keeps`,
    facts: [['measured', data.date || 'at an unknown date'], ['samples', data.samples], ...(data.backend === 'cuda' ? [] : [['backend', `${data.backend}: no real machine`]])],
    charts: [copiesChart(data.copies)].filter(Boolean),
    tables: [{
      id: 'modes', title: 'Copies', columns: ['mode', 'direction', 'sizes', 'largest', 'rate there', 'kept as'],
      rows: data.copies.map((copy) => [kModes[copy.mode] ?? copy.mode, kDirections[copy.direction], String(copy.sizes.length), format.bytes(copy.sizes.at(-1).bytes), format.rate(perSecond(copy.sizes.at(-1).bytes, copy.sizes.at(-1).median_ns)), copy.kept]),
    }],
    footnotes: data,
  };
}
