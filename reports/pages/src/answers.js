// Which charts and tables answer the documents of a page, by their format: { name, json, data }. Several of a format lie
// over each other, told apart by the names of their files.
import { calibrationAnswer } from './calibrated.js';
import { replayAnswer, validationAnswer } from './measured.js';
import * as format from './format.js';
import { memoryBars, namer, paretoChart, rowName, timeBars } from './schedules.js';
import { bars, maxAnswer, needAnswer } from './searches.js';
import { rowsTable, sweepCharts } from './sweep.js';
import { changesTable, equationsTables, factsOf, layersTable, movedTable, schedulesTable } from './tables.js';
import { timelineChart } from './timeline.js';
import { waitsChart } from './waits.js';

const kBeside = 'ooc-paleo/timeline'; // what is of an answer, none of its own
const some = (...each) => each.filter(Boolean);
const jobOf = ({ inputs }) => `${inputs.network} on ${inputs.hardware}, batch ${inputs.batch}`;

/** Lists of all documents as one, each entry with the label of its file. */
const together = (documents) => (key) => documents.flatMap(({ data, label }) => (label ? data[key].map((each) => ({ ...each, label })) : data[key]));

function resultAnswer(documents, rowsOf, timeline) {
  if (documents.length > 1) return schedulesAnswer(documents.map(({ data, label }) => ({ ...data, label })));
  const [{ data: result }] = documents;
  const named = namer([result]);
  return {
    title: `${jobOf(result)}: ${rowName(result)}`,
    facts: factsOf(result),
    charts: some(timeline && timelineChart(result, timeline.data), timeBars([result], named), waitsChart(result), memoryBars([result], named)),
    tables: some(changesTable(result), ...equationsTables(result), movedTable(result), layersTable(result)),
    footnotes: result,
  };
}

function schedulesAnswer(results, title) {
  const named = namer(results);
  const [best] = [...results].sort((a, b) => b.feasible - a.feasible || a.iteration_time_ns - b.iteration_time_ns);
  return {
    title: title ?? `${jobOf(best)}: side by side`,
    facts: [['best', named(best)], ...factsOf(best)],
    charts: some(paretoChart(results, named), timeBars(results, named), memoryBars(results, named)),
    tables: [schedulesTable(results, named)],
    footnotes: best,
  };
}

function comparisonAnswer(documents, rowsOf) {
  const results = rowsOf('results');
  return schedulesAnswer(results, `${jobOf(results[0])}: which schedule?`);
}

function machinesAnswer(documents, rowsOf) {
  const machines = rowsOf('machines');
  const links = machines.some((each) => each.link_bytes_per_s !== null);
  const results = machines.map((machine) => ({
    ...machine.results[0], label: some(machine.label, `${machine.hardware}${links && machine.link_bytes_per_s ? ` ${format.rate(machine.link_bytes_per_s)}` : ''}`).join(': '),
  }));
  const answer = schedulesAnswer(results, `${results[0].inputs.network}, batch ${results[0].inputs.batch}: which machine?`);
  answer.charts = answer.charts.filter((each) => each.id !== 'pareto');
  const rows = machines.map((machine, i) => ({ ...machine, name: results[i].label, samples: machine.feasible ? machine.results[0].samples_per_s : 0 }));
  answer.charts.unshift(bars({
    id: 'machines', title: 'Samples a second by machine', note: 'Each under its best schedule.',
    rows, named: (row) => row.name, value: (row) => row.samples, tick: String, group: () => 'samples/s',
    text: (row) => (row.feasible ? `${format.number(row.samples)}/s` : 'does not fit'),
    tip: (row) => `<b>${format.escaped(row.name)}</b><br>${row.feasible ? format.escaped(`${format.number(row.samples)} samples/s under ${row.results[0].inputs.schedule}`) : 'does not fit'}`,
  }));
  return answer;
}

function sweepAnswer(documents) {
  const rows = documents.flatMap(({ data, label }) => data.results.map((row) => (label ? { file: label, ...row } : row)));
  const knees = documents.flatMap(({ data, label }) => data.knees.map((knee) => (label ? { file: label, ...knee } : knee)));
  const [first] = rows;
  const labelled = documents.length > 1 ? [{ column: 'file', label: 'file' }] : [];
  const varying = [...new Map([...labelled, ...documents.flatMap(({ data }) => data.axes)].map((each) => [each.column, each])).values()];
  const all = (key) => [...new Set(rows.map((row) => row[key]))];
  return {
    title: `${all('network').join(', ')} on ${all('hardware').join(', ')}${all('batch').length > 1 ? '' : `, batch ${first.batch}`}`,
    facts: [['rows', rows.length], ['fit', rows.filter((row) => row.feasible).length], ['software', first.framework]],
    charts: sweepCharts(rows, knees, varying),
    tables: [rowsTable(rows, varying)],
    footnotes: documents[0].data,
  };
}

const answers = {
  'ooc-paleo/result': resultAnswer,
  'ooc-paleo/comparison': comparisonAnswer,
  'ooc-paleo/machines': machinesAnswer,
  'ooc-paleo/sweep': sweepAnswer,
  'ooc-paleo/max-batch': maxAnswer,
  'ooc-paleo/max-layers': maxAnswer,
  'ooc-paleo/max-seq': maxAnswer,
  'ooc-paleo/need': needAnswer,
  'ooc-paleo/validation': validationAnswer,
  'ooc-paleo/replay': replayAnswer,
  'ooc-paleo/calibration': calibrationAnswer,
};

const shortName = (path) => path.replace(/^.*\//, '').replace(/\.json$/, '');

export function answerTo(documents) {
  const beside = documents.find((each) => each.data.format === kBeside);
  const asked = documents.filter((each) => each !== beside);
  const answer = answers[asked[0]?.data.format];
  if (!answer) throw new Error(`no charts of ${asked[0]?.data.format ?? 'nothing'}`);
  const labelled = asked.length > 1 ? asked.map((each) => ({ ...each, label: shortName(each.name) })) : asked;
  return answer(labelled, together(labelled), beside);
}
