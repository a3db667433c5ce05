// Which layers wait and for what, beside the tensors that move: one picture, with all of it written at the bars.
import * as format from './format.js';
import { cause } from './theme.js';

const kShown = 12; // of each: more would not be read
const kRow = 34;
const kHead = 40;
const kBeside = 190; // pixels for what is written at the longest bar
const kLetters = 14; // of a name: its end tells it from the others of a network

const tail = (name) => (name.length > kLetters ? `…${name.slice(1 - kLetters)}` : name);

const directions = { to_near: ['swap_in', (tensor) => `for ${tail(tensor)} to come back`], to_far: ['swap_out', (tensor) => `for ${tail(tensor)} to leave`],
  exchange: ['exchange', (tensor) => `for ${tail(tensor)} of other devices`] };

function why({ waits_for: reason }) {
  const [direction, ...rest] = (reason ?? '').split(' ');
  if (!directions[direction]) return { key: 'dependency', text: reason ? `for ${tail(reason)}` : '' };
  const [key, text] = directions[direction];
  return { key, text: text(rest.join(' ')) };
}

const way = ({ out_ns: out, back_ns: back }) => (out === null ? 'in only' : back === null ? 'out only' : 'out and back');
const hides = ({ hides_at_bytes_per_s: rate }) => (rate === null ? '' : `hides at ≥ ${format.rate(rate)}`);

export function waitsChart(result) {
  if (!result.feasible || !result.moved?.length) return null;
  const all_waits = result.layers.filter((each) => each.stall_ns > 0).sort((a, b) => b.stall_ns - a.stall_ns);
  const all_moved = [...result.moved].sort((a, b) => b.bytes - a.bytes);
  const waits = all_waits.slice(0, kShown);
  const moved = all_moved.slice(0, kShown);
  const count = (shown, all) => (shown.length < all.length ? `the first ${shown.length} of ${all.length}` : `${all.length}`);
  const panels = [
    waits.length && {
      title: `layers that wait: ${count(waits, all_waits)}`, names: waits.map((each) => each.name), tick: format.timeTick,
      bars: (theme) => waits.map((each) => ({ value: each.stall_ns, itemStyle: { color: cause(why(each).key, theme).colour } })),
      text: (i) => [`${format.time(waits[i].stall_ns)}`, why(waits[i]).text],
    },
    {
      title: `tensors that move: ${count(moved, all_moved)}`, names: moved.map((each) => each.tensor), tick: format.bytesTick,
      bars: (theme) => moved.map((each) => ({ value: each.bytes, itemStyle: { color: theme.accent } })),
      text: (i) => [`${format.bytes(moved[i].bytes)} ${way(moved[i])}`, hides(moved[i])],
    },
  ].filter(Boolean);
  const heightOf = (panel) => kRow * panel.names.length;
  return {
    id: 'waits', title: 'Which tensors move, and which layers wait for them',
    note: `${waits.length ? 'Longest wait and largest tensor on top.' : 'No layer waits: every copy is hidden behind compute.'} “hides at”: the slowest link whose way back of this tensor is hidden behind compute.`,
    height: (width) => (width < 700 ? panels.reduce((sum, each) => sum + kHead + heightOf(each) + 34, 0) : kHead + Math.max(...panels.map(heightOf)) + 34),
    option(theme, width) {
      const narrow = width < 700;
      const left = narrow ? 96 : 120;
      const share = narrow ? width : width / panels.length;
      let top = 0;
      const grids = panels.map((panel, i) => {
        const grid = { left: left + (narrow ? 0 : i * share), width: share - left - 16, top: top + kHead, height: heightOf(panel), outerBoundsMode: 'none' };
        if (narrow) top += kHead + heightOf(panel) + 34;
        return grid;
      });
      return {
        grid: grids,
        xAxis: panels.map((panel, i) => ({
          type: 'value', gridIndex: i, min: 0, max: Math.max(...panel.bars(theme).map((each) => each.value)) * grids[i].width / Math.max(60, grids[i].width - kBeside),
          splitNumber: 3, axisLabel: { formatter: panel.tick, hideOverlap: true, showMaxLabel: false }, splitLine: { show: false },
        })),
        yAxis: panels.map((panel, i) => ({
          type: 'category', gridIndex: i, inverse: true, data: panel.names, name: panel.title, nameLocation: 'start', nameTextStyle: { align: 'left', padding: [0, 0, 0, 8 - left] },
          axisTick: { show: false }, axisLabel: { formatter: tail, interval: 0, fontSize: narrow ? 10 : 12 },
        })),
        series: panels.map((panel, i) => ({
          type: 'bar', xAxisIndex: i, yAxisIndex: i, barMaxWidth: 22, data: panel.bars(theme),
          label: { show: true, position: 'right', color: theme.ink, fontSize: 11, lineHeight: 13, formatter: ({ dataIndex }) => panel.text(dataIndex).filter(Boolean).join('\n') },
        })),
      };
    },
    rows: () => [
      ['what', 'name', 'value', 'direction', 'for'],
      ...all_waits.map((each) => ['wait_ns', each.name, each.stall_ns, '', each.waits_for ?? '']),
      ...all_moved.map((each) => ['bytes', each.tensor, each.bytes, way(each), each.hides_at_bytes_per_s ?? '']),
    ],
  };
}
