// Tables behind the charts: exact where a chart is for the eye.
import * as format from './format.js';
import { rowName } from './schedules.js';
import { cause } from './theme.js';

export function schedulesTable(results, named) {
  return {
    id: 'schedules', title: 'In numbers',
    columns: ['schedule', 'options', 'rounds', 'time', 'slowdown', 'samples/s', 'peak', 'far', 'copied', 'gap', 'limited by'],
    rows: results.map((result) => (result.feasible
      ? [named(result), result.inputs.schedule_options || '–', result.rounds, format.time(result.iteration_time_ns), format.factor(result.slowdown), format.number(result.samples_per_s),
        format.bytes(result.peak_near_bytes), format.bytes(result.peak_far_bytes), format.bytes(result.to_far_bytes + result.to_near_bytes), format.percent(result.gap),
        `${result.limited_by}, ${format.percent(result.limited_share)}`]
      : [named(result), result.inputs.schedule_options || '–', '–', `does not fit: ${result.out_of_memory?.smallest_budget_bytes ? `needs ${format.bytes(result.out_of_memory.smallest_budget_bytes)}` : 'nothing smaller will do'} of ${result.out_of_memory?.tier ?? 'near'} memory`, '', '', '', '', '', '', ''])),
  };
}

export function layersTable(result) {
  const moved = new Map((result.moved ?? []).map((each) => [each.tensor, each]));
  const flops = (layer, pass) => (layer[`${pass}_ns`] > 0 ? (layer[`${pass}_flops`] * 1e9) / layer[`${pass}_ns`] : null);
  const rate = (layer, pass) => (flops(layer, pass) ? `${format.number(flops(layer, pass) / 1e12)} TFLOP/s` : '–');
  const layers = [...result.layers].sort((a, b) => (b.stall_ns ?? 0) - (a.stall_ns ?? 0));
  return {
    id: 'layers', title: 'Layers, those that wait longest first',
    note: '“hides at”: the slowest way back that is hidden behind what is computed from the tensor’s last use to its next.',
    columns: ['layer', 'type', 'action', 'waits', 'for', 'hides at', 'forward', 'backward', 'saved', 'forward rate', 'backward rate'],
    rows: layers.map((layer) => [layer.name, layer.type, layer.action ?? '–', format.time(layer.stall_ns), layer.waits_for ?? '–', format.rate(moved.get(layer.name)?.hides_at_bytes_per_s),
      format.time(layer.forward_ns), format.time(layer.backward_ns), format.bytes(layer.saved_bytes), rate(layer, 'forward'), rate(layer, 'backward')]),
    exact: () => [
      ['layer', 'type', 'action', 'stall_ns', 'waits_for', 'hides_at_bytes_per_s', 'forward_ns', 'backward_ns', 'saved_bytes', 'forward_flops', 'backward_flops', 'parameters'],
      ...layers.map((layer) => [layer.name, layer.type, layer.action ?? '', layer.stall_ns ?? '', layer.waits_for ?? '', moved.get(layer.name)?.hides_at_bytes_per_s ?? '', layer.forward_ns, layer.backward_ns,
        layer.saved_bytes, layer.forward_flops, layer.backward_flops, layer.parameters]),
    ],
  };
}

export function movedTable(result) {
  if (!result.moved?.length) return null;
  const moved = [...result.moved].sort((a, b) => b.wait_ns - a.wait_ns || b.bytes - a.bytes);
  return {
    id: 'moved', title: 'Tensors that move',
    columns: ['tensor', 'size', 'leaves at', 'near again at', 'compute waits', 'cause', 'hides at'],
    rows: moved.map((each) => [each.tensor, format.bytes(each.bytes), format.time(each.out_ns), format.time(each.back_ns), format.time(each.wait_ns),
      each.cause ? cause(each.cause, {}).name : '–', format.rate(each.hides_at_bytes_per_s)]),
    exact: () => [Object.keys(moved[0]), ...moved.map((each) => Object.values(each).map((value) => value ?? ''))],
  };
}

/** [OOC]'s equations (2) to (12), each beside the run: the single figures, and the backward steps. */
export function equationsTables(result) {
  const { equations } = result;
  if (!equations || equations.unfit) return [];
  const caught = (each) => (each ? `${format.time(each.time_ns)}, ${each.layer}` : 'never');
  const signed = (value) => (value < 0 ? `−${format.bytes(-value)}` : format.bytes(value));
  const signedTime = (value) => (value < 0 ? `−${format.time(-value)}` : `+${format.time(value)}`);
  const { steps } = equations;
  return [
    {
      id: 'equations', title: 'OOC-Paleo’s equations',
      note: `${equations.binds} binds: Conn_Th ${format.rate(equations.connection_bytes_per_s)}, FM_Th ${format.rate(equations.far_bytes_per_s)}, NM_Th ${format.rate(equations.near_bytes_per_s)}. Capacity ${format.bytes(equations.capacity_bytes)}, of it NM_Ca (never leaves) ${format.bytes(equations.retained_bytes)}. The last rows are what this run has and the equations have not.`,
      columns: ['equation', 'on paper', 'this run'],
      rows: [
        ['(5) Swap_in_Th', format.rate(equations.swap_in_bytes_per_s), format.rate(equations.run_swap_in_bytes_per_s)],
        ['(9) utilisation of backward', format.percent(equations.utilization_9), format.percent(equations.run_utilization)],
        ['(11) T_catch', caught(equations.caught), caught(equations.run_caught)],
        ['(12) utilisation of backward', format.percent(equations.utilization_12), format.percent(equations.run_utilization)],
        [`(${equations.total}) iteration`, format.time(equations.total_ns), format.time(result.iteration_time_ns)],
        ...equations.differences.map((each) => [each.cause, '–', signedTime(each.time_ns)]),
      ],
    },
    {
      id: 'equation-steps', title: 'OOC-Paleo’s equations, step by step',
      note: 'Backward, in the order in which layers run. T_Swap: the plan’s copies in for the next layer. Num_avail is as a step starts; that of this run counts tensors that are near as a whole.',
      columns: ['layer', 'Num_buffer', 'T_proc', 'T_Swap', 'T (7)', 'this run', 'util (9)', 'util (12)', 'this run', 'Num_avail (3)', '(4)', '(6)', 'this run'],
      rows: steps.map((step) => [step.layer, format.bytes(step.bytes), format.time(step.processing_ns), format.time(step.swap_ns), format.time(step.section_ns), format.time(step.run_section_ns),
        format.percent(step.utilization_9), format.percent(step.utilization_12), format.percent(step.run_utilization),
        signed(step.available_3_bytes), signed(step.available_4_bytes), signed(step.available_6_bytes), format.bytes(step.run_available_bytes)]),
      exact: () => [Object.keys(steps[0]), ...steps.map((step) => Object.values(step))],
    },
  ];
}

export function changesTable(result) {
  if (!result.what_if?.length) return null;
  return {
    id: 'changes', title: 'What would change it',
    columns: ['change', 'time', 'gain'],
    rows: result.what_if.map((each) => [each.change, each.iteration_time_ns === null ? 'does not fit' : format.time(each.iteration_time_ns), format.change(each.gain)]),
  };
}

/** The answer in a few figures. */
export function factsOf(result) {
  if (!result.feasible) {
    const lack = result.out_of_memory;
    return [['answer', 'does not fit'], ['budget', format.bytes(result.budget_near_bytes)], ['smallest budget', format.bytes(lack?.smallest_budget_bytes)], ['when nothing moves', format.bytes(result.in_core_peak_bytes)], ['schedule', rowName(result)]];
  }
  return [
    ['time of an iteration', format.time(result.iteration_time_ns)], ['slowdown', format.factor(result.slowdown)], ['samples/s', format.number(result.samples_per_s)],
    ['peak of near memory', `${format.bytes(result.peak_near_bytes)} of ${format.bytes(result.budget_near_bytes)}`],
    ['when nothing moves', format.bytes(result.in_core_peak_bytes)], ['far memory needed', format.bytes(result.peak_far_bytes)],
    ['limited by', `${result.limited_by}, ${format.percent(result.limited_share)}`],
  ];
}
