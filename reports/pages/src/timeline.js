// Where a run's memory and time go, over time: near memory by what it holds, under it the queues on the same axis.
// What is narrower than a pixel is drawn together, anew for each zoom, so that 20,000 steps move as 200 do.
import * as format from './format.js';
import { categoryKeys, category, cause } from './theme.js';

const kColumns = 900; // of what is drawn; more are not seen
const kBeside = 0.5; // of a window, drawn to either side of it, so that small moves need nothing new
const kPause = 90; // ms without a move, after which a window is drawn at its own scale

export function readTimeline(data) {
  const spans = (of) => ({ start: of.start_ns, end: of.end_ns });
  const { at_ns: at, bytes } = data.near_memory;
  const keys = categoryKeys.filter((key) => bytes[key]);
  const total = at.map((_, i) => keys.reduce((sum, key) => sum + bytes[key][i], 0));
  const queues = {};
  for (const [name, queue] of Object.entries(data.queues)) {
    queues[name] = { ...spans(queue), name: queue.name, bytes: queue.bytes, again: new Set(queue.recomputed ?? []) };
  }
  return {
    end: data.iteration_time_ns, budget: data.budget_near_bytes, memory: { at, keys, bytes, total }, queues,
    stalls: { ...spans(data.stalls), cause: data.stalls.cause, before: data.stalls.before_compute, culprit: data.stalls.because_of },
  };
}

/** The last index whose value is at most `at`, or -1. */
export function lastAt(values, at) {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= at) low = middle + 1; else high = middle;
  }
  return low - 1;
}

/** Indices of samples that show a window: of each column the largest and the last one. */
export function shownSamples(memory, from, to) {
  const first = Math.max(0, lastAt(memory.at, from));
  const last = lastAt(memory.at, to);
  if (last - first < 2 * kColumns) return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const out = [];
  const width = (to - from) / kColumns;
  for (let i = first; i <= last;) {
    const column = Math.floor((memory.at[i] - from) / width);
    let most = i;
    let next = i;
    while (next <= last && Math.floor((memory.at[next] - from) / width) === column) {
      if (memory.total[next] > memory.total[most]) most = next;
      next += 1;
    }
    if (most !== next - 1) out.push(most);
    out.push(next - 1);
    i = next;
  }
  return out;
}

/** Spans of a window as [from, to, index, count]; neighbours narrower than a column become one of `count`. */
export function shownSpans(spans, from, to, kindOf) {
  const narrow = (to - from) / kColumns;
  const out = [];
  let i = Math.max(0, lastAt(spans.start, from));
  for (; i < spans.start.length && spans.start[i] <= to; i += 1) {
    const [start, end] = [spans.start[i], spans.end[i]];
    if (end < from) continue;
    const before = out[out.length - 1];
    const joins = before && kindOf(before[2]) === kindOf(i) && end - before[0] < narrow;
    if (joins) {
      before[1] = Math.max(before[1], end);
      before[3] += 1;
    } else {
      out.push([start, end, i, 1]);
    }
  }
  return out;
}

const kLaneNames = { compute: 'compute', stalls: 'waits', to_far: 'to far', to_near: 'to near', far_compute: 'far compute' };

export function lanesOf(run, theme) {
  const compute = run.queues.compute;
  const forward = theme.dark ? '#5b8fc7' : '#4477aa';
  const backward = theme.dark ? '#9dbfe3' : '#88aed4';
  const back = (i) => compute.name[i].includes('.backward');
  const copies = (key, copied) => {
    const kind = (i) => (run.queues[key].name[i].startsWith('exchange ') ? 'exchange' : copied);
    return { kind, colour: (i) => cause(kind(i), theme).colour };
  };
  const lanes = [];
  for (const key of ['compute', 'stalls', 'to_far', 'to_near', 'far_compute']) {
    const spans = key === 'stalls' ? run.stalls : run.queues[key];
    if (!spans) continue;
    const look = {
      compute: {
        kind: (i) => (compute.again.has(i) ? 2 : back(i) ? 1 : 0),
        colour: (i) => (compute.again.has(i) ? cause('recompute', theme).colour : back(i) ? backward : forward),
      },
      stalls: { kind: (i) => run.stalls.cause[i], colour: (i) => cause(run.stalls.cause[i], theme).colour },
      to_far: copies('to_far', 'swap_out'),
      to_near: copies('to_near', 'swap_in'),
      far_compute: copies('far_compute', 'update'),
    }[key];
    lanes.push({ key, name: kLaneNames[key], spans, ...look });
  }
  return lanes;
}

export function spanText(run, lane, [start, end, i, count]) {
  const span = `${format.time(start)} to ${format.time(end)}, ${format.time(end - start)}`;
  if (count > 1) return `${lane.name}: ${count} of them, ${span}`;
  if (lane.key === 'stalls') {
    const next = run.stalls.before[i];
    return [
      `compute waits: ${cause(run.stalls.cause[i], {}).name}`, span,
      next === null ? '' : `before ${run.queues.compute.name[next]}`,
      run.stalls.culprit[i] ? `for the end of ${run.stalls.culprit[i]}` : '',
    ].filter(Boolean).join('\n');
  }
  const bytes = lane.spans.bytes ? `\n${format.bytes(lane.spans.bytes[i])} at ${format.rate((lane.spans.bytes[i] * 1e9) / (end - start))}` : '';
  return `${lane.spans.name[i]}${lane.spans.again.has(i) ? ', run again' : ''}\n${span}${bytes}`;
}

/** What colours of the lanes mean: names of series without data, for a legend of their own. */
function meanings(run, lanes, theme) {
  const compute = lanes[0];
  const of = (test) => run.queues.compute.name.findIndex((_, i) => compute.kind(i) === test);
  const found = [['forward', of(0)], ['backward', of(1)]].filter(([, i]) => i >= 0).map(([name, i]) => [name, compute.colour(i)]);
  const waits = [...new Set(run.stalls.cause)].map((each) => cause(each, theme)).map(({ name, colour }) => [`waits: ${name}`, colour]);
  return [...found, ...waits].map(([name, colour]) => ({ name, type: 'scatter', xAxisIndex: 1, yAxisIndex: 1, itemStyle: { color: colour, opacity: 1 }, data: [] }));
}

/** A lane as one path a colour: an element a step would be what takes the time. */
function laneSeries(lane, row, from, to) {
  const colours = new Map();
  for (const each of shownSpans(lane.spans, from, to, lane.kind)) {
    const colour = lane.colour(each[2]);
    if (!colours.has(colour)) colours.set(colour, []);
    colours.get(colour).push(each);
  }
  const drawn = [...colours];
  return {
    id: `lane-${lane.key}`, name: lane.name, type: 'custom', xAxisIndex: 1, yAxisIndex: 1, animation: false, clip: true, silent: true,
    encode: { x: [0, 1], y: 2 },
    data: drawn.map((_, i) => [from, to, row, i]),
    renderItem: (params, api) => {
      const [colour, spans] = drawn[api.value(3)];
      const height = api.size([0, 1])[1] * 0.72;
      const [origin, y] = api.coord([0, row]);
      const scale = (api.coord([to, row])[0] - origin) / to;
      const { x, width } = params.coordSys;
      const top = (y - height / 2).toFixed(1);
      let path = '';
      for (const [start, end] of spans) {
        const left = Math.max(origin + start * scale, x);
        const right = Math.min(Math.max(origin + end * scale, left + 0.6), x + width);
        if (right > left) path += `M${left.toFixed(2)} ${top}H${right.toFixed(2)}v${height.toFixed(1)}H${left.toFixed(2)}z`;
      }
      return path ? { type: 'path', shape: { pathData: path }, style: { fill: colour } } : null;
    },
  };
}

function series(run, lanes, theme, from, to) {
  const samples = shownSamples(run.memory, from, to);
  const stacked = run.memory.keys.map((key) => {
    const { name, colour } = category(key, theme);
    return {
      id: key, name, type: 'line', stack: 'near', step: 'end', symbol: 'none', animation: false, silent: true,
      lineStyle: { width: 0 }, itemStyle: { color: colour }, areaStyle: { color: colour, opacity: 1 }, emphasis: { disabled: true },
      data: [...samples.map((i) => [run.memory.at[i], run.memory.bytes[key][i]]), [to, run.memory.bytes[key][samples.at(-1)] ?? 0]],
    };
  });
  return [...stacked, ...lanes.map((lane, row) => laneSeries(lane, row, from, to))];
}

function memoryText(run, theme, at) {
  const i = lastAt(run.memory.at, at);
  if (i < 0) return '';
  const rows = run.memory.keys.filter((key) => run.memory.bytes[key][i] > 0).reverse()
    .map((key) => `<tr><td><span style="color:${category(key, theme).colour}">■</span> ${category(key, theme).name}</td><td>${format.bytes(run.memory.bytes[key][i])}</td></tr>`);
  return `<b>at ${format.time(at)}</b><table class="tip">${rows.join('')}<tr><td>in all</td><td>${format.bytes(run.memory.total[i])}</td></tr></table>`;
}

export function timelineChart(result, data) {
  const run = readTimeline(data);
  return {
    id: 'timeline',
    title: 'What near memory holds, and what the queues do',
    note: 'Above: bytes in near memory by what they are; the dashed line is the budget. Below, on the same axis: when compute works, why it waits, and the copies.',
    hint: 'Drag the bar below the chart, or turn the wheel over it, to zoom; hover for steps, bytes and causes.',
    height: 560,
    option(theme, width) {
      const lanes = lanesOf(run, theme);
      const narrow = width < 600;
      const left = narrow ? 56 : 84;
      const legendRows = narrow ? Math.ceil(run.memory.keys.length / 2) + 1 : 1 + Math.floor(run.memory.keys.length / 6);
      const top = 14 + 22 * legendRows;
      const meant = meanings(run, lanes, theme);
      const meantRows = Math.ceil(meant.length / (narrow ? 2 : 5));
      const axis = { type: 'value', min: 0, max: run.end, axisLabel: { formatter: (value) => format.timeTick(Math.round(value)), hideOverlap: true, alignMinLabel: 'left', alignMaxLabel: 'right' }, splitLine: { show: false } };
      const peak = Math.max(run.budget, ...run.memory.total);
      return {
        animation: false,
        legend: [
          { top: 0, data: run.memory.keys.map((key) => ({ name: category(key, theme).name, icon: 'rect' })) },
          { bottom: 92 + 26 * lanes.length, data: meant.map(({ name }) => ({ name, icon: 'rect' })) },
        ].map((each) => ({ left: 'center', selectedMode: false, itemWidth: 14, itemHeight: 10, textStyle: { color: theme.ink, fontSize: narrow ? 11 : 12 }, ...each })),
        // Both as wide as each other, whatever their labels need: they share an axis.
        grid: [{ top, bottom: 92 + 26 * lanes.length + 22 * meantRows + 12 }, { bottom: 84, height: 26 * lanes.length }].map((each) => ({ left, right: 16, outerBoundsMode: 'none', ...each })),
        axisPointer: { link: [{ xAxisIndex: 'all' }], label: { formatter: ({ value, axisDimension }) => (axisDimension === 'x' ? format.time(value) : '') } },
        tooltip: {
          trigger: 'axis', confine: true, transitionDuration: 0,
          formatter: (shown) => {
            const at = shown[0].axisValue;
            const steps = lanes.map((lane) => {
              const i = lastAt(lane.spans.start, at);
              if (i < 0 || lane.spans.end[i] <= at) return '';
              return `<div>${format.escaped(spanText(run, lane, [lane.spans.start[i], lane.spans.end[i], i, 1])).replaceAll('\n', '<br>&emsp;')}</div>`;
            });
            return memoryText(run, theme, at) + steps.join('');
          },
        },
        xAxis: [
          { ...axis, gridIndex: 0, axisLabel: { show: false }, axisTick: { show: false } },
          { ...axis, gridIndex: 1 },
        ],
        yAxis: [
          { type: 'value', min: 0, max: peak * 1.06, gridIndex: 0, name: 'near memory', nameLocation: 'end', axisLabel: { formatter: format.bytesTick, showMaxLabel: false }, nameTextStyle: { align: 'left' } },
          { type: 'category', data: lanes.map((lane) => lane.name), inverse: true, gridIndex: 1, axisTick: { show: false }, axisLine: { show: false }, axisLabel: { fontSize: narrow ? 10 : 12 } },
        ],
        dataZoom: [
          { type: 'inside', xAxisIndex: [0, 1], filterMode: 'none', throttle: 16 },
          { type: 'slider', xAxisIndex: [0, 1], filterMode: 'none', bottom: 30, height: 22, showDataShadow: false, labelFormatter: (value) => format.time(Math.round(value)), throttle: 16 },
        ],
        series: [...meant, ...series(run, lanes, theme, 0, run.end)].map((each, i) => (i !== meant.length ? each : {
          ...each,
          markLine: {
            silent: true, symbol: 'none', data: [{ yAxis: run.budget }], lineStyle: { color: theme.warn, type: 'dashed', width: 1.5 },
            label: { formatter: `budget ${format.bytes(run.budget)}`, position: 'insideEndTop', color: theme.warn },
          },
        })),
      };
    },
    live(chart, theme) {
      const lanes = lanesOf(run, theme);
      let [first, last] = [0, run.end];
      let pause = null;
      const draw = () => {
        if (chart.isDisposed()) return;
        const { startValue, endValue } = chart.getOption().dataZoom[0];
        const beside = kBeside * (endValue - startValue);
        [first, last] = [Math.max(0, startValue - beside), Math.min(run.end, endValue + beside)];
        chart.setOption({ series: series(run, lanes, theme, first, last) }, { lazyUpdate: true });
      };
      chart.on('datazoom', () => {
        clearTimeout(pause);
        const { startValue, endValue } = chart.getOption().dataZoom[0];
        const missing = startValue < first || endValue > last;
        if (missing || last - first > 8 * (endValue - startValue)) draw(); else pause = setTimeout(draw, kPause);
      });
    },
    rows: () => {
      const out = [['queue', 'name', 'start_ns', 'end_ns', 'bytes', 'cause', 'because_of']];
      for (const [key, queue] of Object.entries(run.queues)) {
        queue.name.forEach((name, i) => out.push([key, name, queue.start[i], queue.end[i], queue.bytes?.[i] ?? '', '', '']));
      }
      run.stalls.cause.forEach((each, i) => out.push(['waits', run.queues.compute.name[run.stalls.before[i]] ?? '', run.stalls.start[i], run.stalls.end[i], '', each, run.stalls.culprit[i]]));
      return out;
    },
  };
}
