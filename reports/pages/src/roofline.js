// What each layer reaches against what the machine lets it reach at most: a roof of operations at their peak and of bytes at
// near memory's rate. Bytes are counted once an operand, so a layer below the roof need not be slow at its work.
import * as format from './format.js';
import { colourAt, shapes } from './theme.js';

const kPasses = ['forward', 'backward'];
export const flopRate = (value) => (value === null ? '–' : `${format.number(value / 1e12)} TFLOP/s`);

/** Of each layer and pass with work and a time, where the result has bytes by layer. */
export function roofPoints(result) {
  const { roofline, layers } = result;
  if (!roofline) return [];
  return layers.flatMap((layer, i) => kPasses.map((pass) => {
    const { peak_flop_per_s: peak, [`${pass}_bytes`]: bytes } = roofline.layers[i];
    const flops = layer[`${pass}_flops`];
    const ns = layer[`${pass}_ns`];
    if (!(bytes > 0 && flops > 0 && ns > 0 && peak > 0)) return null;
    const intensity = flops / bytes;
    return { layer, pass, bytes, flops, peak, intensity, reached: (flops * 1e9) / ns, attainable: Math.min(peak, intensity * roofline.near_bytes_per_s) };
  })).filter(Boolean);
}

const kTip = [
  ['operations', (point) => `${format.number(point.flops / 1e9)} GFLOP`], ['bytes, at least', (point) => format.bytes(point.bytes)],
  ['intensity', (point) => `${format.number(point.intensity)} FLOP/B`], ['attainable', (point) => flopRate(point.attainable)],
  ['predicted', (point) => flopRate(point.reached)], ['of that', (point) => format.percent(point.reached / point.attainable)],
];

export function rooflineChart(result) {
  const points = roofPoints(result);
  if (!points.length) return null;
  const near = result.roofline.near_bytes_per_s;
  const peaks = [...new Set(points.map((each) => each.peak))];
  const types = [...new Set(points.map((each) => each.layer.type))].sort((a, b) => time(b) - time(a));
  function time(type) { return points.reduce((sum, { layer, pass }) => sum + (layer.type === type ? layer[`${pass}_ns`] : 0), 0); }
  const shown = types.length > 8 ? [...types.slice(0, 7), 'others'] : types;
  const groupOf = ({ layer }) => (shown.includes(layer.type) ? layer.type : 'others');
  const powers = (values) => [10 ** Math.floor(Math.log10(Math.min(...values))), 10 ** Math.ceil(Math.log10(Math.max(...values)))];
  const [left, right] = powers([...points.map((each) => each.intensity), ...peaks.map((peak) => (2 * peak) / near)]);
  const [low, high] = powers([...points.flatMap((each) => [each.reached, each.attainable]), ...peaks]);
  const longest = Math.max(...points.map(({ layer, pass }) => layer[`${pass}_ns`]));
  return {
    id: 'roofline', title: 'Roofline: what layers reach, and what they could',
    note: 'A mark a layer and pass, hollow for backward, the larger the longer it takes. Left of the bend the bytes bound a layer, right of it the operations; how far it lies below the roof is what efficiencies and launches cost. Both axes are logarithmic; bytes count each operand once.',
    height: 460,
    option(theme, width) {
      const narrow = width < 600;
      const rows = Math.ceil(shown.length / (narrow ? 3 : 8));
      const axis = (min, max, formatter) => ({ type: 'log', min, max, axisLabel: { formatter, hideOverlap: true } });
      return {
        legend: { top: 0, data: shown, itemWidth: 14, itemHeight: 10 },
        grid: { left: narrow ? 74 : 94, right: 24, top: 24 + 22 * rows, bottom: 52 },
        tooltip: {
          trigger: 'item', confine: true,
          formatter: ({ data }) => (data.point ? `<b>${format.escaped(data.point.layer.name)}, ${data.point.pass}</b><table class="tip"><tr><td>takes</td><td>${format.time(data.point.layer[`${data.point.pass}_ns`])}</td></tr>${kTip.map(([name, of]) => `<tr><td>${name}</td><td>${of(data.point)}</td></tr>`).join('')}</table>` : ''),
        },
        xAxis: { ...axis(left, right, (value) => String(Number(value.toPrecision(3)))), name: 'operations a byte of near memory (FLOP/B)', nameLocation: 'middle', nameGap: 30 },
        yAxis: { ...axis(low, high, format.flopTick), name: 'rate', nameTextStyle: { align: 'left' } },
        series: [
          ...peaks.map((peak) => ({
            name: `roof ${peak}`, type: 'line', silent: true, symbol: 'none', lineStyle: { color: theme.warn, width: 2 }, z: 1,
            data: [[left, Math.min(peak, left * near)], [Math.min(right, Math.max(left, peak / near)), Math.min(peak, right * near)], [right, Math.min(peak, right * near)]],
          })),
          {
            name: 'roofs', type: 'scatter', silent: true, symbolSize: 0.1, itemStyle: { color: 'transparent' }, label: { show: true, color: theme.warn, formatter: ({ data }) => data.text },
            data: [
              ...peaks.map((peak) => ({ value: [right, Math.min(peak, right * near)], text: `peak ${flopRate(peak)}`, label: { position: 'left', offset: [0, -10] } })),
              { value: [Math.sqrt(left * (peaks[0] / near)), Math.sqrt(left * peaks[0])].map((each, i) => each * (i ? Math.sqrt(near) : 1)), text: `near memory ${format.rate(near)}`, label: { position: 'left' } },
            ],
          },
          ...shown.map((group, i) => ({
            name: group, type: 'scatter', symbol: shapes[i % 4], itemStyle: { color: colourAt(i) },
            data: points.filter((each) => groupOf(each) === group).map((point) => ({
              value: [point.intensity, point.reached], point, symbolSize: 5 + 15 * Math.sqrt(point.layer[`${point.pass}_ns`] / longest),
              itemStyle: point.pass === 'forward' ? { color: colourAt(i), opacity: 0.75 } : { color: 'transparent', borderColor: colourAt(i), borderWidth: 1.5 },
            })),
          })),
        ],
      };
    },
    rows: () => [['layer', 'type', 'pass', 'flops', 'bytes', 'flop_per_byte', 'attainable_flop_per_s', 'predicted_flop_per_s'],
      ...points.map((each) => [each.layer.name, each.layer.type, each.pass, each.flops, each.bytes, each.intensity, each.attainable, each.reached])],
  };
}
