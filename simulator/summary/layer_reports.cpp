// What each layer costs and what happened to the tensors it wrote. A buffer that several layers share (in-place
// activations, views) counts once, with its bytes and its action: at the layer that wrote it first.
#include "simulator/summary/layer_reports.hpp"

#include <algorithm>
#include <optional>

#include "simulator/plan/plan_text.hpp"

namespace ooc {
namespace {

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
        Bytes(tensor.bytes_per_sample) * input.batch + Bytes(tensor.bytes_fixed);
  }
}

// What became of each tensor. Of several answers compression comes first, then recomputation.
struct Fates {
  explicit Fates(std::size_t tensors) : made_again(tensors), moved(tensors), compressed(tensors) {}

  std::optional<TensorAction> of(std::size_t tensor) const {
    if (compressed[tensor]) return TensorAction::kCompress;
    if (made_again[tensor]) return TensorAction::kRecompute;
    if (moved[tensor]) return TensorAction::kSwap;
    return std::nullopt;
  }

  std::vector<bool> made_again;
  std::vector<bool> moved;
  std::vector<bool> compressed;  ///< or the compressed form of one
};

Fates find_fates(const Plan& plan, const TrainingGraph& graph) {
  Fates fates(graph.tensors.size());
  for (const Step& step : plan.steps) {
    if (step.kind == StepKind::kToFar) fates.moved[static_cast<std::size_t>(step.object)] = true;
    if (!step.recompute) continue;
    const TaskId task{step.object};
    const bool overhead = is_overhead(graph.tasks[task.at()].kind);
    const auto touched = overhead ? graph.reads[task] : graph.writes[task];
    for (const TensorId tensor : touched) {
      (overhead ? fates.compressed : fates.made_again)[tensor.at()] = true;
    }
  }
  return fates;
}

void add_actions(std::vector<LayerReport>& layers, const LayerReportInput& input) {
  const TrainingGraph& graph = *input.about->graph;
  const Fates fates = find_fates(*input.plan, graph);
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
    if (action.has_value()) action = std::max(action, fates.of(i));  // none is least
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

}  // namespace

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

}  // namespace ooc
