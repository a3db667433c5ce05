// Charts of what was searched for a schedule at a time: the largest that runs (max), the least that suffices (need).
import * as format from './format.js';
import { colourAt } from './theme.js';

const kLimits = { near_memory: 'near memory', far_memory: 'far memory', network: 'the network', counting: 'counting', search_limit: 'where the search ended', none: 'nothing: in rounds any' };

/** Bars with a figure at their ends, coloured by a group. */
export function bars({ id, title, note, rows, named, value, text, tick, group, log = false, marks = () => [], tip }) {
  const groups = [...new Set(rows.map(group))];
  return {
    id, title, note,
    height: 110 + 30 * rows.length,
    option(theme, width) {
      const narrow = width < 600;
      return {
        legend: groups.length > 1 ? { top: 0, itemWidth: 14, itemHeight: 10, data: groups } : undefined,
        grid: { left: narrow ? 104 : 170, right: narrow ? 104 : 150, top: groups.length > 1 ? 44 : 16, bottom: 34 },
        tooltip: { trigger: 'item', confine: true, formatter: ({ data }) => (data.row ? tip(data.row) : '') },
        xAxis: { type: log ? 'log' : 'value', min: log ? undefined : 0, axisLabel: { formatter: tick, hideOverlap: true }, splitNumber: narrow ? 3 : 6 },
        yAxis: { type: 'category', inverse: true, data: rows.map(named), axisTick: { show: false }, axisLabel: { width: narrow ? 96 : 160, overflow: 'break', interval: 0, fontSize: narrow ? 10 : 12, lineHeight: 13 } },
        series: groups.map((name, i) => ({
          name, type: 'bar', stack: 'all', barMaxWidth: 20, itemStyle: { color: colourAt(i) },
          label: { show: true, position: 'right', color: theme.ink, lineHeight: 13, formatter: ({ data }) => (data.row ? text(data.row) : '') },
          data: rows.map((row) => (group(row) === name ? { value: value(row), row } : { value: null })),
          markLine: i === 0 ? { silent: true, symbol: 'none', data: marks(theme) } : undefined,
        })),
      };
    },
    rows: () => [['name', 'value', 'group'], ...rows.map((row) => [named(row), value(row) ?? '', group(row)])],
  };
}

const tipOf = (name, facts) => `<b>${format.escaped(name)}</b><table class="tip">${facts.map(([key, value]) => `<tr><td>${key}</td><td>${format.escaped(value)}</td></tr>`).join('')}</table>`;
const nameOf = (row) => [row.label, [row.schedule, row.schedule_options].filter(Boolean).join(' ')].filter(Boolean).join(': ');

export function maxAnswer(documents, rowsOf) {
  const [{ data }] = documents;
  const what = data.format.replace('ooc-paleo/max-', '');
  const noun = { batch: 'batch', layers: 'number of layers', seq: 'sequence' }[what];
  const rows = rowsOf('results');
  const columns = ['schedule', noun, 'limited by', 'time', 'samples/s', 'peak', 'far', 'one more lacks'];
  return {
    title: `${data.inputs.network} on ${data.inputs.hardware}: the largest ${noun}`,
    facts: rows.slice(0, 3).map((row) => [nameOf(row), row.value]),
    charts: [bars({
      id: 'largest', title: `The largest ${noun} that runs, by schedule`, note: 'Coloured by what keeps it from being larger; in brackets the samples a second at that size.',
      rows, named: nameOf, value: (row) => row.value ?? 0, text: (row) => `${row.value ?? 'none'}${row.any_in_rounds ? ' a round' : ''} (${format.number(row.samples_per_s)}/s)`, tick: String, group: (row) => kLimits[row.reason] ?? row.reason,
      tip: (row) => tipOf(nameOf(row), [[noun, row.value], ['time', format.time(row.iteration_time_ns)], ['samples/s', format.number(row.samples_per_s)], ['peak, near', format.bytes(row.peak_near_bytes)], ['one more lacks', format.bytes(row.lacks_bytes)]]),
    })],
    tables: [{
      id: 'numbers', title: 'In numbers', columns,
      rows: rows.map((row) => [nameOf(row), String(row.value ?? 0), kLimits[row.reason] ?? row.reason, format.time(row.iteration_time_ns), format.number(row.samples_per_s), format.bytes(row.peak_near_bytes), format.bytes(row.peak_far_bytes), format.bytes(row.lacks_bytes)]),
    }],
    footnotes: data,
  };
}

export function needAnswer(documents, rowsOf) {
  const [{ data }] = documents;
  const isRate = data.unit === 'bytes_per_s';
  const text = isRate ? format.rate : format.bytes;
  const rows = rowsOf('needs');
  const found = rows.filter((row) => row.value !== null);
  const goal = data.time_ns === null ? `comes within ${format.number(100 * data.within)} % of computing alone, ${format.time(data.reference_time_ns)}` : `takes at most ${format.time(data.time_ns)}`;
  const what = data.needed.replaceAll('-', ' ');
  return {
    title: `${data.inputs.network} on ${data.inputs.hardware}, batch ${data.inputs.batch}: the least ${what}`,
    facts: [['the job has', text(data.now)], ...(found.length ? [['least', `${text(found[0].value)} under ${nameOf(found[0])}`]] : [['least', 'none suffices']])],
    charts: found.length ? [bars({
      id: 'need', title: `The least ${what} with which an iteration ${goal}`, note: `Dashed: what the job has now.${rows.length > found.length ? ` For ${rows.length - found.length} of ${rows.length} schedules none suffices: see the table.` : ''}`,
      rows: found, named: nameOf, value: (row) => row.value, text: (row) => (row.value === 0 ? 'any' : text(row.value)), tick: isRate ? format.rateTick : format.bytesTick, group: () => what,
      marks: (theme) => [{ xAxis: data.now, lineStyle: { color: theme.warn, type: 'dashed' }, label: { formatter: `now ${text(data.now)}`, color: theme.warn, position: 'start' } }],
      tip: (row) => tipOf(nameOf(row), [[what, text(row.value)], ['time then', format.time(row.iteration_time_ns)], ['samples/s', format.number(row.samples_per_s)], ['peak, near', format.bytes(row.peak_near_bytes)]]),
    })] : [],
    tables: [{
      id: 'numbers', title: 'In numbers', columns: ['schedule', what, 'time then', 'slowdown', 'peak', 'why not less, or none'],
      rows: rows.map((row) => [nameOf(row), row.value === null ? 'none' : text(row.value), format.time(row.iteration_time_ns), format.factor(row.slowdown), format.bytes(row.peak_near_bytes), row.reason_text ?? row.limited_by ?? '–']),
    }],
    footnotes: data,
  };
}
