// Footprints when nothing moves. `shared-gradients` is the baseline of vDNN (MICRO 2016), which the
// Synced article quotes too; `all-gradients` is the ideal of moDNN (DATE 2018, V.A).
#include "model/graph/liveness.hpp"

#include <algorithm>

namespace ooc {
namespace {

/// Both baselines run activations and dropout in place, whatever our rules allow: their outputs and
/// gradients add nothing, and masks are not counted.
bool is_free_in_baselines(const TrainingGraph& graph, const Tensor& tensor) {
  if (tensor.role == TensorRole::kInput) return false;
  const LayerModel& layer = *graph.network->layers[tensor.layer->at()].model;
  return tensor.role == TensorRole::kMask || layer.is_activation ||
         layer.in_place != InPlace::kNever;
}

}  // namespace

namespace {

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
    return live.empty() ? 0 : *std::max_element(live.begin(), live.end());
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
