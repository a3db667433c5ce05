// Predicted against measured: `validate` (published figures, whole networks) and `replay` (one plan on a GPU).
import { figureCharts } from './figures.js';
import * as format from './format.js';
import { stackedBars } from './schedules.js';
import { cause, causeKeys, colourAt, shapes } from './theme.js';

const seconds = (value) => format.time(value * 1e9);

function networksChart(sets) {
  const points = sets.flatMap((set) => set.rows);
  const all = points.flatMap((row) => [row.predicted, row.published]);
  const [low, high] = [Math.min(...all) / 1.3, Math.max(...all) * 1.3];
  return {
    id: 'networks', title: 'Whole networks in core: predicted against measured',
    note: 'Both axes are logarithmic; the full line is what agrees, dashed is 10 % to either side. Filled: predicted; hollow: numbers of the model were fitted to these rows or chosen beside them.',
    height: 560,
    option(theme, width) {
      const narrow = width < 600;
      const perRow = Math.max(1, Math.floor(width / 300));
      const axis = { type: 'log', min: low, max: high, axisLabel: { formatter: (value) => format.timeTick(Number((value * 1e9).toPrecision(2))), hideOverlap: true, showMinLabel: false, showMaxLabel: false } };
      const line = (factor, type) => ({
        type: 'line', silent: true, symbol: 'none', lineStyle: { color: theme.soft, type, width: 1 }, data: [[low, low * factor], [high, high * factor]], name: `x ${factor}`,
      });
      const paged = sets.length > 2 * perRow;
      return {
        legend: { top: 0, type: paged ? 'scroll' : 'plain', data: sets.map((set) => set.id) },
        grid: { left: narrow ? 62 : 78, right: 24, top: 50 + (paged ? 0 : 20 * Math.ceil(sets.length / perRow)), bottom: 52 },
        tooltip: {
          trigger: 'item', confine: true,
          formatter: ({ data }) => (data.row ? `<b>${format.escaped(data.row.name)}</b><br>${format.escaped(data.set.title)}<table class="tip"><tr><td>predicted</td><td>${seconds(data.row.predicted)}</td></tr><tr><td>measured</td><td>${seconds(data.row.published)}</td></tr><tr><td>off by</td><td>${format.change(data.row.deviation)}</td></tr></table>` : ''),
        },
        xAxis: { ...axis, name: 'measured', nameLocation: 'middle', nameGap: 30 },
        yAxis: { ...axis, name: 'predicted', nameTextStyle: { align: 'left' } },
        series: [line(1, 'solid'), line(1.1, 'dashed'), line(1 / 1.1, 'dashed'), ...sets.map((set, i) => ({
          name: set.id, type: 'scatter', symbol: shapes[i % 4], symbolSize: 9,
          itemStyle: set.kind === 'fitted' ? { color: 'transparent', borderColor: colourAt(i), borderWidth: 1.5 } : { color: colourAt(i) },
          data: set.rows.map((row) => ({ value: [row.published, row.predicted], row, set })),
        }))],
      };
    },
    rows: () => [['set', 'kind', 'row', 'predicted_s', 'measured_s', 'deviation'], ...sets.flatMap((set) => set.rows.map((row) => [set.id, set.kind, row.name, row.predicted, row.published, row.deviation]))],
  };
}

const kVerdicts = { holds: '#228833', fails: '#ee6677', fails_known: '#ccbb44', marked_but_holds: '#66ccee', reported: '#bbbbbb' };

const labelOf = (row) => [row.name, row.at].filter((part) => part !== null).join(', ');

function figuresChart(rows) {
  const points = rows.filter((row) => typeof row.deviation === 'number');
  if (!points.length) return null;
  const ids = [...new Set(points.map((row) => row.id))];
  const verdicts = Object.keys(kVerdicts).filter((verdict) => points.some((row) => row.verdict === verdict));
  const far = 1;
  return {
    id: 'figures', title: 'Figures of papers: how far off', note: 'A point a figure, a line a row of the data: predicted over published or measured, less one. What is more than 100 % off stands at the edge.',
    height: 90 + 22 * ids.length,
    option(theme, width) {
      return {
        legend: { top: 0, data: verdicts, formatter: (verdict) => verdict.replace('_', ', ') },
        grid: { left: width < 600 ? 56 : 76, right: 24, top: 40, bottom: 40 },
        tooltip: {
          trigger: 'item', confine: true,
          formatter: ({ data: { of } }) => `<b>${format.escaped(of.id)}: ${format.escaped(labelOf(of))}</b><table class="tip"><tr><td>predicted</td><td>${format.escaped(of.predicted)} ${format.escaped(of.unit)}</td></tr><tr><td>published</td><td>${format.escaped(of.published)}</td></tr><tr><td>off by</td><td>${format.change(of.deviation)}</td></tr><tr><td>verdict</td><td>${format.escaped(of.verdict)}</td></tr></table>`,
        },
        xAxis: { type: 'value', min: -far, max: far, axisLabel: { formatter: (value) => `${Math.round(100 * value)} %` } },
        yAxis: { type: 'category', data: ids, inverse: true, axisLabel: { interval: 0, fontSize: 11 }, splitLine: { show: true } },
        series: verdicts.map((verdict, i) => ({
          name: verdict, type: 'scatter', symbol: shapes[i % 4], symbolSize: 9, itemStyle: { color: kVerdicts[verdict], opacity: 0.85 },
          data: points.filter((row) => row.verdict === verdict).map((of) => ({ value: [Math.max(-far, Math.min(far, of.deviation)), of.id], of })),
          markLine: i === 0 ? { silent: true, symbol: 'none', data: [{ xAxis: 0 }], lineStyle: { color: theme.soft, type: 'solid' }, label: { show: false } } : undefined,
        })),
      };
    },
    rows: () => [['id', 'row', 'predicted', 'published', 'unit', 'deviation', 'verdict'], ...points.map((row) => [row.id, labelOf(row), row.predicted, row.published, row.unit, row.deviation, row.verdict])],
  };
}

export function validationAnswer(documents, rowsOf) {
  const [{ data }] = documents;
  const sets = rowsOf('files').filter((file) => file.kind).map((file) => ({ ...file, rows: rowsOf('rows').filter((row) => row.id === file.id) }));
  const rows = rowsOf('rows').filter((row) => !sets.some((set) => set.id === row.id));
  const { summary } = data;
  const [only] = data.files.length === 1 && !sets.length ? data.files : [];
  return {
    title: only?.title ?? 'Predicted against published and measured figures',
    below: only && [`Published: ${only.source}.`, only.conditions].filter(Boolean),
    facts: summary.kinds.filter((kind) => kind.kind === 'predicted').map((kind) => [`predicted, ${kind.of}: off by`, `${format.percent(kind.median)} in the median, ${format.percent(kind.mean)} in the mean, ${format.percent(kind.largest)} at most (${kind.n})`]),
    charts: [...(only ? figureCharts(only, rows) : []), sets.length ? networksChart(sets) : null, figuresChart(rows)].filter(Boolean),
    tables: [
      {
        id: 'kinds', title: 'What it is worth', columns: ['kind', 'of', 'figures', 'hold', 'median', 'mean', 'largest'],
        rows: summary.kinds.map((kind) => [kind.kind, kind.of, String(kind.figures), String(kind.holds ?? ''), ...[kind.median, kind.mean, kind.largest].map((share) => (share === undefined ? '' : format.percent(share)))]),
      },
      ...(sets.length ? [{
        id: 'sets', title: 'Whole networks, a line a data set', columns: ['data set', 'kind', 'rows', 'mean', 'median', 'largest', 'bias'],
        rows: sets.map((set) => [set.title, set.kind, String(set.n), format.percent(set.mean), format.percent(set.median), format.percent(set.largest), format.change(set.bias)]),
      }] : []),
      { id: 'verdicts', title: 'Rows', columns: ['id', 'row', 'verdict', 'source'], rows: rows.map((row) => [row.id, labelOf(row), row.verdict.replace('_', ', '), row.source]) },
    ],
    footnotes: { remarks: ['Every row rests on the profile of its own machine: `ooc-paleo inspect NETWORK --hardware NAME` names what that assumes. What of a row is assumed or left out, and where its figure is from, stands in its file of validation/.'] },
  };
}

export function replayAnswer(documents) {
  const [{ data }] = documents;
  const sides = documents.flatMap((each) => ['predicted', 'measured'].map((side) => ({ side, label: each.label, causes: each.data.causes_ns })));
  const named = ({ side, label }) => [label, side].filter(Boolean).join(': ');
  const of = (key) => (side) => (side.causes[key === 'compute' ? 'busy' : key]?.[side.side] ?? 0);
  const parts = causeKeys.map((key) => ({ key, of: of(key), look: (theme) => cause(key, theme) })).filter((part) => sides.some((side) => part.of(side) > 0));
  const both = (name, text, pair) => [name, text(pair.predicted), text(pair.measured), text(pair.difference)];
  return {
    title: `${data.inputs.network} on ${data.run.device || data.inputs.hardware}: predicted against measured`,
    facts: [['predicted', format.time(data.iteration_time_ns.predicted)], ['measured', format.time(data.iteration_time_ns.measured)], ['error', format.change(data.error)], ['spread', format.percent(data.spread)]],
    charts: [stackedBars({
      id: 'time', title: 'Where the time goes, predicted and measured', note: 'Compute, and what it waits for by cause, in the iteration whose time is the median one.',
      results: sides, named, parts, tickOf: format.timeTick, textOf: format.time,
    })],
    tables: [
      { id: 'work', title: 'Work', columns: ['work', 'predicted', 'measured', 'difference'], rows: [...Object.entries(data.work).map(([name, work]) => both(name, format.time, work.time_ns)), both('peak of near memory', format.bytes, data.memory.peak_near_bytes)] },
      {
        id: 'deviations', title: 'Steps that are furthest off', columns: ['step', 'queue', 'predicted', 'median', 'off by'],
        rows: data.deviations.map((step) => [step.name, step.queue, format.time(step.predicted_end_ns - step.predicted_start_ns), format.time(step.median_ns), format.time(step.deviation_ns)]),
      },
    ],
    footnotes: data,
  };
}
