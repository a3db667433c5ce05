// Names and small sums over a training graph.
#include "model/graph/training_graph.hpp"

namespace ooc {
namespace {

std::string_view suffix(TaskKind kind) {
  switch (kind) {
    case TaskKind::kForward:
      return ".forward";
    case TaskKind::kBackward:
      return ".backward";
    case TaskKind::kBackwardData:
      return ".backward_data";
    case TaskKind::kBackwardWeights:
      return ".backward_weights";
    case TaskKind::kUpdate:
      return ".update";
  }
  return "";
}

/// "@2" in the second round.
std::string round_suffix(std::size_t index, std::size_t size) {
  return size == 0 || index < size ? "" : "@" + std::to_string(index / size + 1);
}

}  // namespace

std::string task_name(const TrainingGraph& graph, TaskId task) {
  const Task& it = graph.tasks[task.at()];
  std::string name = graph.network->layers[it.layer.at()].name + std::string(suffix(it.kind));
  if (task.at() < graph.backward_end) name += round_suffix(task.at(), graph.round_tasks);
  return name;
}

std::string tensor_name(const TrainingGraph& graph, TensorId tensor) {
  const Tensor& it = graph.tensors[tensor.at()];
  const bool input = it.role == TensorRole::kInput;
  std::string name = input ? graph.network->inputs[it.input->at()].name
                           : graph.network->layers[it.layer->at()].name;
  if (it.role == TensorRole::kMask) name += ".mask";
  if (it.role == TensorRole::kReserve) name += ".reserve";
  if (it.role == TensorRole::kGradient) name += ".grad";
  return name + round_suffix(tensor.at(), graph.round_tensors);
}

bool is_saved(const TrainingGraph& graph, TensorId tensor) {
  return graph.tensors[tensor.at()].role != TensorRole::kGradient &&
         graph.lifetimes[tensor.at()].first_backward_use.has_value();
}

std::int64_t saved_bytes_per_sample(const TrainingGraph& graph) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    if (is_saved(graph, make_id<TensorId>(i))) sum += graph.tensors[i].bytes_per_sample;
  }
  return sum;
}

std::string_view accounting_name(Accounting accounting) {
  switch (accounting) {
    case Accounting::kLiveness:
      return "liveness";
    case Accounting::kSharedGradients:
      return "shared-gradients";
    case Accounting::kAllGradients:
      return "all-gradients";
    case Accounting::kDefineByRun:
      return "define-by-run";
  }
  return "";
}

std::string_view optimizer_name(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::kSgd:
      return "sgd";
    case Optimizer::kMomentum:
      return "momentum";
    case Optimizer::kAdam:
      return "adam";
  }
  return "";
}

}  // namespace ooc
