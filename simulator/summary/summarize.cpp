// Works out every number of a prediction from the values of the stages before. What limits a run is read off its stalls,
// which have exactly one cause for every nanosecond, and off its compute beside the reference's: nothing is guessed.
#include "simulator/summary/summarize.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "model/base/errors.hpp"
#include "model/cost/amounts.hpp"
#include "model/network/adapters.hpp"
#include "simulator/plan/plan_text.hpp"
#include "simulator/summary/memory_use.hpp"

namespace ooc {
namespace {

// What each layer costs and what happened to the tensors it wrote. A buffer that several layers share (in-place
// activations, views) counts once, with its bytes and its action: at the layer that wrote it first.

struct LayerReportInput {
  const TrainingGraph& graph;
  std::int64_t batch = 1;
  std::int64_t saved_batch = 1;  ///< samples that `saved` is of
  /// Iteration that the plan runs; null: reports have no times.
  const Iteration* about = nullptr;
  const Plan* plan = nullptr;  ///< null: reports have no actions, and times of first algorithms
  const Timeline* timeline = nullptr;  ///< null: reports have no stalls
  ComputeModel compute_model = ComputeModel::kNative;
};

LayerReport describe(const Network& network, const Layer& layer, std::int64_t batch) {
  LayerReport report;
  report.name = layer.name;
  report.type = layer.kind != nullptr ? layer.kind->name : "";
  report.output_shape = layer.model->output.dims;
  report.parameters = layer.model->parameters;
  if (layer.tied_to) report.tied_to = network.layers[layer.tied_to->at()].name;
  report.forward_macs = layer.model->forward_macs * batch;  // check_work has seen that it fits
  return report;
}

void add_flops(LayerReport& report, TaskKind kind, std::int64_t flops) {
  if (kind == TaskKind::kForward) report.forward_flops += flops;
  if (is_backward(kind)) report.backward_flops += flops;
}

/// What is none of the layer's own work counts in neither.
void add_time(LayerReport& report, TaskKind kind, const TaskAlternative& run) {
  if (kind == TaskKind::kForward) {
    report.forward += run.time;
    report.forward_s += run.seconds;
  } else if (is_backward(kind)) {
    const bool weights = kind == TaskKind::kBackwardWeights;
    report.backward += run.time;
    (weights ? report.backward_weights_s : report.backward_data_s) += run.seconds;
  } else if (kind == TaskKind::kUpdate) {
    report.update += run.time;
  }
}

// By task: how it is run, the plan's choice where there is one.
std::vector<AlternativeId> alternatives_in_use(const LayerReportInput& input) {
  std::vector<AlternativeId> use;
  for (std::size_t task = 0; task < input.about->graph->tasks.size(); ++task) {
    use.push_back(input.about->costs.default_alternative(make_id<TaskId>(task)));
  }
  if (input.plan == nullptr) return use;
  for (const Step& step : input.plan->steps) {
    if (step.kind != StepKind::kCompute || step.recompute) continue;
    use[static_cast<std::size_t>(step.object)] = step.alternative;
  }
  return use;
}

void add_tasks(std::vector<LayerReport>& layers, const LayerReportInput& input) {
  for (std::size_t i = 0; i < input.graph.tasks.size(); ++i) {
    const Task& task = input.graph.tasks[i];
    add_flops(layers[task.layer.at()], task.kind,
              task_flops(input.graph, make_id<TaskId>(i), input.compute_model, input.batch));
  }
  if (input.about == nullptr) return;
  const TrainingGraph& graph = *input.about->graph;
  const std::vector<AlternativeId> use = alternatives_in_use(input);
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const Task& task = graph.tasks[i];
    add_time(layers[task.layer.at()], task.kind, input.about->costs[use[i]]);
  }
}

void add_saved(std::vector<LayerReport>& layers, const LayerReportInput& input) {
  for (std::size_t i = 0; i < input.graph.tensors.size(); ++i) {
    const Tensor& tensor = input.graph.tensors[i];
    if (!tensor.layer.has_value() || !is_saved(input.graph, make_id<TensorId>(i))) continue;
    if (tensor.role == TensorRole::kWeightCopy) continue;
    layers[tensor.layer->at()].saved +=
        Bytes(tensor.bytes_per_sample) * input.saved_batch + Bytes(tensor.bytes_fixed);
  }
}

/// By tensor, what became of it: of several answers compression, of it or of the form that is restored, comes first, then
/// recomputation.
std::vector<TensorAction> find_fates(const Plan& plan, const TrainingGraph& graph) {
  std::vector<TensorAction> fates(graph.tensors.size(), TensorAction::kKeep);
  const auto note = [&](TensorId tensor, TensorAction action) {
    fates[tensor.at()] = std::max(fates[tensor.at()], action);
  };
  for (const Step& step : plan.steps) {
    if (step.kind == StepKind::kToFar) note(TensorId{step.object}, TensorAction::kSwap);
    if (!step.recompute) continue;
    const TaskId task{step.object};
    const bool overhead = is_overhead(graph.tasks[task.at()].kind);
    for (const TensorId tensor : overhead ? graph.reads[task] : graph.writes[task]) {
      note(tensor, overhead ? TensorAction::kCompress : TensorAction::kRecompute);
    }
  }
  return fates;
}

void add_actions(std::vector<LayerReport>& layers, const LayerReportInput& input) {
  const TrainingGraph& graph = *input.about->graph;
  const std::vector<TensorAction> fates = find_fates(*input.plan, graph);
  for (LayerReport& layer : layers) {
    if (layer.saved.count() > 0) layer.action = TensorAction::kKeep;
  }
  for (const Step& step : input.plan->steps) {
    if (!step.recompute) continue;
    const Task& task = graph.tasks[static_cast<std::size_t>(step.object)];
    if (!is_overhead(task.kind)) layers[task.layer.at()].action = TensorAction::kRecompute;
  }
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const Tensor& tensor = graph.tensors[i];
    if (!tensor.layer.has_value() || tensor.role == TensorRole::kGradient) continue;
    if (tensor.role == TensorRole::kWeightCopy) continue;
    std::optional<TensorAction>& action = layers[tensor.layer->at()].action;
    if (action.has_value()) action = std::max(*action, fates[i]);
  }
}

std::string what_is_waited_for(const Stall& stall, const LayerReportInput& input) {
  return stall.culprit ? step_name(*input.plan, *input.about->graph, *stall.culprit)
                       : std::string(limit_name(stall.cause));
}

void add_stalls(std::vector<LayerReport>& layers, const LayerReportInput& input) {
  std::vector<const Stall*> longest(layers.size());
  for (const Stall& stall : input.timeline->stalls) {
    if (!stall.before.has_value()) continue;
    const Step& step = input.plan->steps[stall.before->at()];
    const Task& task = input.about->graph->tasks[static_cast<std::size_t>(step.object)];
    const std::size_t layer = task.layer.at();
    layers[layer].stall += stall.end - stall.start;
    const Stall*& most = longest[layer];
    if (most == nullptr || stall.end - stall.start > most->end - most->start) most = &stall;
  }
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    if (longest[layer] == nullptr) continue;
    layers[layer].waits_for = what_is_waited_for(*longest[layer], input);
  }
}

std::vector<LayerReport> layer_reports(const LayerReportInput& input) {
  std::vector<LayerReport> layers;
  layers.reserve(input.graph.network->layers.size());
  for (const Layer& layer : input.graph.network->layers) {
    layers.push_back(describe(*input.graph.network, layer, input.batch));
  }
  add_tasks(layers, input);
  add_saved(layers, input);
  if (input.plan != nullptr) add_actions(layers, input);
  if (input.plan != nullptr && input.timeline != nullptr) add_stalls(layers, input);
  return layers;
}

// Below this share of the iteration a loss is called noise, and compute the limit.
constexpr double kNoticeableShare = 0.05;

double over(Duration part, Duration whole) {
  if (whole.count() == 0) return 1;
  return part / whole;
}

void name_limit(RunReport& report) {
  const std::optional<LargestLoss> loss = largest_loss(report);
  if (!loss.has_value() || loss->share < kNoticeableShare) {
    report.limited_by = "compute";
    report.limited_share = report.compute_utilization;
    return;
  }
  report.limited_by = limit_name(*loss, report);
  report.limited_share = loss->share;
}

// All tasks with their fastest alternatives, one after the other: updates and all else so many times.
Duration fastest_compute(const TrainingGraph& graph, const CostTable& costs, std::int64_t updates,
                         std::int64_t others) {
  Duration sum{0};
  for (std::size_t task = 0; task < graph.tasks.size(); ++task) {
    const auto ways = costs.alternatives_of(make_id<TaskId>(task));
    const Duration least = std::ranges::min_element(ways, {}, &TaskAlternative::time)->time;
    sum += least * (graph.tasks[task].kind == TaskKind::kUpdate ? updates : others);
  }
  return sum;
}

/// Samples that are in memory at once where nothing is cut further.
std::int64_t report_batch(const SummaryInput& input) {
  return input.micro_batches ? input.micro_batches->each.batch : input.job.costs.batch;
}

/// Updates that run far are no work of the device's: with them the whole iteration could take less.
Duration reference_time(const SummaryInput& input) {
  const auto time_of = [&](const CostTable& costs, std::int64_t updates, std::int64_t others) {
    const MovingState* moving = input.job.moving.get();
    return moving == nullptr
               ? fastest_compute(*input.job.graph, costs, updates, others)
               : fastest_compute(moving->planned, planned_costs(*moving, costs, Booking::kByTask),
                                 updates, others);
  };
  const MicroBatches* parts = input.micro_batches;
  if (parts == nullptr) return time_of(input.job.costs, 1, 1);
  return time_of(parts->each, 1, parts->count - 1) + time_of(parts->last, 0, 1);
}

// A tensor may be copied any number of times, so no limit on sizes bounds these sums.
void add_copies(RunReport& report, const SummaryInput& input, const Plan& plan) {
  Wide to_far;
  Wide to_near;
  for (const Step& step : plan.steps) {
    if (runs_task(step.kind)) continue;
    const auto tensor = static_cast<std::size_t>(step.object);
    const Bytes bytes =
        host_bytes(input.about.graph->tensors[tensor], input.about.costs.link_bytes()[tensor]);
    const bool out = step.kind == StepKind::kToFar;
    Wide& sum = out ? to_far : to_near;
    sum = sum + bytes.count();
    if (input.about.graph->tensors[tensor].role != TensorRole::kInput) continue;
    (out ? report.inputs_to_far : report.inputs_to_near) += bytes;
  }
  report.to_far = countable_bytes(to_far, *input.job.graph, "bytes copied to far memory");
  report.to_near = countable_bytes(to_near, *input.job.graph, "bytes copied to near memory");
}

/// By class and direction.
std::size_t class_of(TensorRole role) {
  if (role == TensorRole::kWeight) return 0;
  if (role == TensorRole::kWeightGradient) return 1;
  return role == TensorRole::kOptimizerState ? 2 : 3;
}

void add_state(RunReport& report, const SummaryInput& input, const Plan& plan) {
  constexpr std::array<std::string_view, 4> kNames{"weights", "gradients", "optimizer",
                                                   "activations"};
  const TrainingGraph& graph = *input.about.graph;
  const CostTable& costs = input.about.costs;
  StateReport state;
  for (std::size_t i = 0; i < kNames.size(); ++i) state.copied[i].name = kNames[i];
  for (const Step& step : plan.steps) {
    const auto object = static_cast<std::size_t>(step.object);
    if (runs_task(step.kind)) {
      const Duration time = costs[step.alternative].time;
      if (graph.tasks[object].kind == TaskKind::kUpdate) state.near_updates += time;
      if (step.kind != StepKind::kFarCompute) continue;
      state.far_busy += time;
      state.far_updates += graph.tasks[object].kind == TaskKind::kFarUpdate;
      continue;
    }
    StateReport::Copied& copied = state.copied[class_of(graph.tensors[object].role)];
    (step.kind == StepKind::kToFar ? copied.to_far : copied.to_near) +=
        host_bytes(graph.tensors[object], costs.link_bytes()[object]);
  }
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    if (graph.tensors[i].home == TensorHome::kFar) {
      state.far_home += host_bytes(graph.tensors[i], costs.tensor_bytes[i]);
    }
  }
  for (const StateUnit& unit : input.job.moving->units) state.far_parameters += unit.far_parameters;
  report.state = state;
}

void add_run(RunReport& report, const SummaryInput& input, const Plan& plan,
             const Timeline& timeline) {
  report.feasible = true;
  report.iteration_time = timeline.iteration_time;
  report.samples_per_s = static_cast<double>(input.inputs.batch) * 1e9 /
                         static_cast<double>(timeline.iteration_time.count());
  report.compute_time = timeline.busy;
  report.slowdown = over(timeline.iteration_time, report.reference_time);
  report.peak_near = timeline.peak_near;
  report.peak_far =
      input.peak_far.has_value()
          ? *input.peak_far
          : peak_far_by_category(plan, *input.about.graph, input.about.costs, timeline).total();
  add_copies(report, input, plan);
  if (input.job.moving) add_state(report, input, plan);
  report.compute_utilization = over(timeline.busy, timeline.iteration_time);
  report.stalls = timeline.stall_totals;
  name_limit(report);
}

// What makes the peaks.
void add_peaks(RunReport& report, const SummaryInput& input, const Plan& plan,
               const Timeline& timeline) {
  const TrainingGraph& graph = *input.about.graph;
  const MemorySample peak = near_memory_at_peak(plan, graph, timeline);
  report.peak_near_by_category = peak.held;
  StepId during{0};
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const bool has_started = timeline.spans[i].start <= peak.at;
    if (runs_task(plan.steps[i].kind) && has_started) during = make_id<StepId>(i);
  }
  report.peak_near_during = step_name(plan, graph, during);
  report.peak_far_by_category = peak_far_by_category(plan, graph, input.about.costs, timeline);
}

/// What neither a machine nor a plan changes.
void note_facts(const TrainingGraph& graph, std::int64_t batch, NetworkFacts& facts) {
  facts.parameters = total_parameters(*graph.network);
  facts.trainable_parameters = trainable_parameters(*graph.network);
  facts.forward_macs_per_sample = total_forward_macs(*graph.network);
  facts.saved = Bytes(saved_bytes_per_sample(graph)) * batch + Bytes(saved_bytes_fixed(graph));
  facts.per_parameter = bytes_of_layer(graph.per_parameter, adapter_type(*graph.network));
}

RunReport known_before_running(const SummaryInput& input) {
  const TrainingGraph& graph = *input.job.graph;
  RunReport report;
  report.inputs = input.inputs;
  report.reference_time = reference_time(input);
  if (input.bounds.has_value()) {
    report.lower_bound = input.bounds->best();
    report.bound_class = std::string(input.bound_class);
  }
  const MicroBatches* const asked = input.micro_batches;
  report.sub_batch = asked != nullptr ? asked->each.batch : input.about.sub_batch;
  report.rounds = asked != nullptr ? asked->count : input.about.rounds;
  if (report.rounds > 1) report.bound_class += ", in the same sub-batches";
  if (input.about.moving && !input.job.moving) report.bound_class += ", on as many devices";
  report.budget_near = input.inputs.memory;
  report.in_core_peak = input.in_core_peak;
  note_facts(graph, report_batch(input), report);
  const Plan* plan = std::get_if<Plan>(&input.plan);
  report.static_bytes = input.job.moving  ? input.about.costs.static_bytes
                        : plan != nullptr ? plan->static_bytes
                                          : input.job.costs.static_bytes;
  report.gradients_freed =
      plan != nullptr && std::ranges::any_of(plan->blocks, [](const Block& block) {
        return block.kind == BlockKind::kGradient;
      });
  report.assumed = input.assumed;
  return report;
}

/// A blocked run as a job that does not fit. The smallest budget is unknown.
OutOfMemory out_of_memory_of(const Blocked& blocked, const Plan& plan, const TrainingGraph& graph) {
  OutOfMemory result;
  result.step = step_name(plan, graph, blocked.step);
  result.wanted = blocked.wanted;
  result.free = blocked.free;
  result.largest_hole = blocked.largest_hole;
  if (plan.static_bytes.count() > 0) {
    result.holders.push_back({"weights, gradients, optimiser state", plan.static_bytes});
  }
  for (const BlockId id : blocked.holders) {
    const Block& block = plan.blocks[id.at()];
    const std::string name =
        block.kind == BlockKind::kTensor
            ? tensor_name(graph, TensorId{block.object})
            : task_name(graph, TaskId{block.object}) +
                  (block.kind == BlockKind::kWorkspace ? " workspace" : " gradients");
    result.holders.push_back({name, block.bytes});
  }
  std::ranges::stable_sort(result.holders, std::ranges::greater(), &OutOfMemory::Holder::bytes);
  return result;
}

}  // namespace

const Timeline* summarize_run(const SummaryInput& input, RunReport& report) {
  report.feasible = false;
  report.out_of_memory.reset();
  report.paper.reset();
  report.inputs_to_far = report.inputs_to_near = Bytes(0);
  report.link_limited_by = input.about.costs.transfers.limited_by;
  const Plan* plan = std::get_if<Plan>(&input.plan);
  OOC_CHECK((plan != nullptr) == input.outcome.has_value(), "a plan is run, and only a plan");
  if (plan == nullptr) {
    report.out_of_memory = std::get<OutOfMemory>(input.plan);
    return nullptr;
  }
  if (const auto* blocked = std::get_if<Blocked>(&*input.outcome)) {
    report.out_of_memory = out_of_memory_of(*blocked, *plan, *input.about.graph);
    return nullptr;
  }
  const auto& timeline = std::get<Timeline>(*input.outcome);
  add_run(report, input, *plan, timeline);
  report.paper = paper_estimate({.form = input.closed_form,
                                 .about = input.about,
                                 .plan = *plan,
                                 .timeline = input.detail == Detail::kTotals ? nullptr : &timeline,
                                 .kept = input.paper});
  return &timeline;
}

RunReport summarize(const SummaryInput& input) {
  RunReport report = known_before_running(input);
  const Plan* plan = std::get_if<Plan>(&input.plan);
  const Timeline* timeline = summarize_run(input, report);
  if (input.detail == Detail::kTotals) return report;
  if (timeline != nullptr) add_peaks(report, input, *plan, *timeline);
  if (input.detail == Detail::kPeaks) return report;
  report.layers = layer_reports({.graph = *input.job.graph,
                                 .batch = input.job.costs.batch,
                                 .saved_batch = report_batch(input),
                                 .about = &input.about,
                                 .plan = plan,
                                 .timeline = timeline,
                                 .compute_model = input.compute_model});
  return report;
}

std::vector<std::size_t> best_first(const std::vector<RunReport>& reports) {
  std::vector<std::size_t> order(reports.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto rank = [&](std::size_t i) {
    const RunReport& report = reports[i];
    if (report.feasible) return std::pair(0, report.iteration_time.count());
    if (!report.out_of_memory.has_value()) return std::pair(2, std::int64_t{0});
    const std::optional<Bytes> least = needed_bytes(*report.out_of_memory);
    return least.has_value() ? std::pair(1, least->count()) : std::pair(2, std::int64_t{0});
  };
  std::ranges::stable_sort(order, {}, rank);
  return order;
}

// Footprints of model/graph/liveness.hpp at a batch, with the workspaces that liveness does not know.

Bytes in_core_peak(const TrainingGraph& graph, const CostTable& costs, Accounting accounting) {
  const bool by_footprint = is_footprint(accounting);
  const std::vector<std::int64_t> live = live_bytes_per_sample(graph);
  const std::vector<std::int64_t> fixed = live_bytes_fixed(graph);
  Bytes most;
  for (TaskId task; task.at() < graph.tasks.size(); ++task.index) {
    Bytes used = costs[costs.default_alternative(task)].workspace;
    if (!by_footprint) used += Bytes(live[task.at()]) * costs.batch + Bytes(fixed[task.at()]);
    most = std::max(most, used);
  }
  if (by_footprint) most += Bytes(footprint_per_sample(graph, accounting)) * costs.batch;
  return most + costs.static_bytes;
}

// `inspect`: what a network is and needs, before any schedule.

NetworkReport summarize_network(const InspectionInput& input) {
  const TrainingGraph& graph = input.graph;
  const std::int64_t batch = input.inputs.batch;
  check_work(graph, input.compute_model, batch);
  const Network& network = *graph.network;
  NetworkReport report;
  report.inputs = input.inputs;
  report.source = network.source;
  for (const NetworkInput& entry : network.inputs) {
    report.network_inputs.emplace_back(entry.name, entry.shape.dims);
  }
  note_facts(graph, batch, report);
  report.active_parameters = active_parameters(network);
  report.weight_copies = Bytes(saved_weight_copies(graph));
  const CostTable sizes = input.job != nullptr     ? input.job->costs
                          : input.sizes != nullptr ? *input.sizes
                                                   : estimate_sizes(graph, {.batch = batch});
  report.static_bytes = sizes.static_bytes;
  report.gradients_freed =
      std::ranges::any_of(sizes.held, [](const HeldBytes& task) { return task.begun > Bytes(0); });
  report.in_core_peak = in_core_peak(graph, sizes, input.accounting);
  report.layers = layer_reports({.graph = graph,
                                 .batch = batch,
                                 .saved_batch = batch,
                                 .about = input.job,
                                 .compute_model = input.compute_model});
  Duration compute{0};
  report.saved_inputs = report.saved;
  for (const LayerReport& layer : report.layers) {
    report.saved_inputs -= layer.saved;
    report.forward_macs += layer.forward_macs;
    report.forward_flops += layer.forward_flops;
    report.backward_flops += layer.backward_flops;
    compute += layer.forward + layer.backward + layer.update;
  }
  if (input.job != nullptr) report.compute_time = compute;
  report.assumed = input.assumed;
  return report;
}

}  // namespace ooc
