// Names and small sums over a training graph.
#include "model/graph/training_graph.hpp"

#include <algorithm>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

std::string_view suffix(TaskKind kind) {
  return text_at(kind, {".forward", ".backward", ".backward_data", ".backward_weights", ".update",
                        ".compress", ".decompress", ".update", ".accumulate"});
}

/// "@2" in the second round.
std::string round_suffix(std::size_t index, std::size_t size) {
  return size == 0 || index < size ? "" : "@" + std::to_string(index / size + 1);
}

std::string_view suffix(TensorForm form) { return text_at(form, {"", ".compressed", ".restored"}); }

std::string_view suffix_of_state(TensorRole role) {
  if (role == TensorRole::kWeight) return ".weight";
  return role == TensorRole::kWeightGradient ? ".weight.grad" : ".state";
}

/// Whatever its form: the tensor that a layer wrote.
std::string source_name(const TrainingGraph& graph, const Tensor& tensor) {
  const bool input = tensor.role == TensorRole::kInput;
  std::string name = input ? graph.network->inputs[tensor.input->at()].name
                           : graph.network->layers[tensor.layer->at()].name;
  if (tensor.role == TensorRole::kMask) name += ".mask";
  if (tensor.role == TensorRole::kReserve) name += ".reserve";
  if (tensor.role == TensorRole::kWeightCopy) name += ".cast";
  if (tensor.role == TensorRole::kGradient) name += ".grad";
  return name;
}

}  // namespace

std::string task_name(const TrainingGraph& graph, TaskId task) {
  const Task& it = graph.tasks[task.at()];
  if (is_far(it.kind)) {
    return graph.units[static_cast<std::size_t>(it.unit)] + std::string(suffix(it.kind)) +
           (it.round > 0 ? "@" + std::to_string(it.round + 1) : "");
  }
  if (is_overhead(it.kind)) {
    const Tensor& tensor = graph.tensors[graph.writes[task].front().at()];
    return source_name(graph, tensor) + std::string(suffix(it.kind));
  }
  std::string name = graph.network->layers[it.layer.at()].name + std::string(suffix(it.kind));
  if (it.kind != TaskKind::kUpdate) name += round_suffix(task.at(), graph.round_tasks);
  return name;
}

std::string tensor_name(const TrainingGraph& graph, TensorId tensor) {
  const Tensor& it = graph.tensors[tensor.at()];
  if (is_state(it.role)) {
    return graph.units[static_cast<std::size_t>(it.unit)] + std::string(suffix_of_state(it.role)) +
           (it.form == TensorForm::kRestored ? ".cast" : "") + (it.is_sum ? ".sum" : "") +
           (it.cut > 1 ? "@" + std::to_string(it.cut) : "");
  }
  std::string name = source_name(graph, it) + std::string(suffix(it.form));
  if (it.cut > 0) name += "[" + std::to_string(it.cut) + "]";
  return name + round_suffix(tensor.at(), graph.round_tensors);
}

bool writes_weight_gradient(const TrainingGraph& graph, const Task& task) {
  if (task.kind == TaskKind::kBackwardWeights) return true;
  return task.kind == TaskKind::kBackward &&
         graph.network->layers[task.layer.at()].model->gradient_form == GradientForm::kComputed;
}

bool is_saved(const TrainingGraph& graph, TensorId tensor) {
  const Tensor& it = graph.tensors[tensor.at()];
  // Backward makes the second copy of weights itself.
  if (it.role == TensorRole::kWeightCopy && it.form == TensorForm::kRestored) return false;
  return it.role != TensorRole::kGradient && !is_state(it.role) &&
         graph.lifetimes[tensor.at()].first_backward_use.has_value();
}

namespace {

/// Sum over saved tensors: copies of weights, or all others.
std::int64_t saved(const TrainingGraph& graph, std::int64_t Tensor::*bytes, bool copies) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const bool copy = graph.tensors[i].role == TensorRole::kWeightCopy;
    if (copy == copies && is_saved(graph, make_id<TensorId>(i))) sum += graph.tensors[i].*bytes;
  }
  return sum;
}

}  // namespace

std::int64_t saved_bytes_per_sample(const TrainingGraph& graph) {
  return saved(graph, &Tensor::bytes_per_sample, false);
}

std::int64_t saved_bytes_fixed(const TrainingGraph& graph) {
  return saved(graph, &Tensor::bytes_fixed, false);
}

std::int64_t saved_weight_copies(const TrainingGraph& graph) {
  return saved(graph, &Tensor::bytes_fixed, true);
}

std::string_view accounting_name(Accounting accounting) {
  return text_at(accounting, {"liveness", "shared-gradients", "all-gradients", "define-by-run"});
}

// Footprints when nothing moves. `shared-gradients` is the baseline of vDNN (MICRO 2016), which the
// Synced article quotes too; `all-gradients` is the ideal of moDNN (DATE 2018, V.A).

namespace {

/// Both baselines run activations and dropout in place, whatever our rules allow: their outputs and
/// gradients add nothing, and masks are not counted.
bool is_free_in_baselines(const TrainingGraph& graph, const Tensor& tensor) {
  if (tensor.role == TensorRole::kInput) return false;
  const LayerModel& layer = *graph.network->layers[tensor.layer->at()].model;
  return tensor.role == TensorRole::kMask || layer.is_activation ||
         layer.in_place != InPlace::kNever;
}

std::vector<std::int64_t> live_bytes(const TrainingGraph& graph, std::int64_t Tensor::*bytes) {
  std::vector<std::int64_t> change(graph.tasks.size() + 1, 0);
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const Lifetime& life = graph.lifetimes[i];
    if (!life.last_use) continue;
    const std::size_t first = life.first_writer ? life.first_writer->at() : 0;
    change[first] += graph.tensors[i].*bytes;
    change[life.last_use->at() + 1] -= graph.tensors[i].*bytes;
  }
  std::vector<std::int64_t> live(graph.tasks.size(), 0);
  std::int64_t now = 0;
  for (std::size_t task = 0; task < live.size(); ++task) live[task] = now += change[task];
  return live;
}

}  // namespace

std::vector<std::int64_t> live_bytes_per_sample(const TrainingGraph& graph) {
  return live_bytes(graph, &Tensor::bytes_per_sample);
}

std::vector<std::int64_t> live_bytes_fixed(const TrainingGraph& graph) {
  return live_bytes(graph, &Tensor::bytes_fixed);
}

std::int64_t footprint_per_sample(const TrainingGraph& graph, Accounting accounting) {
  if (accounting == Accounting::kLiveness || accounting == Accounting::kDefineByRun) {
    const std::vector<std::int64_t> live = live_bytes_per_sample(graph);
    return live.empty() ? 0 : *std::ranges::max_element(live);
  }
  std::int64_t outputs = 0;
  std::int64_t gradients = 0;
  std::int64_t largest = 0;
  std::int64_t second = 0;
  for (const Tensor& tensor : graph.tensors) {
    if (is_free_in_baselines(graph, tensor)) continue;
    const std::int64_t bytes = tensor.bytes_per_sample;
    if (tensor.role == TensorRole::kGradient) {
      gradients += bytes;
      second = std::max(second, std::min(largest, bytes));
      largest = std::max(largest, bytes);
    } else {
      outputs += bytes;
    }
  }
  return accounting == Accounting::kAllGradients ? outputs + gradients : outputs + largest + second;
}

std::int64_t static_bytes(const TrainingGraph& graph) {
  return graph.weight_bytes + graph.gradient_bytes + graph.optimizer_bytes;
}

}  // namespace ooc
