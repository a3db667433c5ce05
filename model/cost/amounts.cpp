// Sums run in 128 bits and saturate (model/layers/wide.hpp), so a wrong one is too large, never small or
// negative, and the error can say what it came to.
#include "model/cost/amounts.hpp"

#include <fmt/format.h>

#include <limits>

#include "model/base/errors.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

/// What a task works on: the layer's work of its kind, once for each gradient that `add` copies.
struct TaskCounts {
  TaskWork work;
  std::int64_t times = 1;
};
TaskCounts counts_of(const TrainingGraph& graph, const Task& task, ComputeModel model) {
  const LayerModel& layer = *graph.network->layers[task.layer.at()].model;
  const LayerWork& work = model == ComputeModel::kPaleo ? layer.paleo_work : layer.work;
  if (task.kind == TaskKind::kForward) return {work.forward};
  if (!is_backward(task.kind)) return {};
  if (task.kind == TaskKind::kBackwardWeights) return {work.backward_weights};
  const bool copies =
      task.kind == TaskKind::kBackward && layer.gradient_form != GradientForm::kComputed;
  return {work.backward_data, copies ? task.copies : 1};
}

std::int64_t update_flops(Optimizer optimizer) {
  return optimizer == Optimizer::kSgd ? 2 : optimizer == Optimizer::kMomentum ? 4 : 12;
}

/// Gradient and state are read, and what is updated: the master copy if there is one, else the weights; state, master copy
/// and weights are written. Scaled gradients are read and written once before. PALEO knows only sgd, in float32.
Amount update_amount(const TrainingGraph& graph, const LayerModel& layer, ComputeModel model) {
  const Wide parameters = layer.parameters;
  if (model == ComputeModel::kPaleo) return {parameters * 2, parameters * 12};
  const ParameterBytes each = bytes_of_layer(graph.per_parameter, layer);
  const auto& precision = graph.network->precision;
  const bool unscales = precision && precision_info(*precision).unscales;
  const std::int64_t updated = each.master > 0 ? each.master : each.weight;
  const std::int64_t moved =
      each.gradient * (unscales ? 3 : 1) + updated + each.master + each.weight;
  return {parameters * update_flops(graph.optimizer),
          parameters * moved + Wide(2) * state_bytes(graph.optimizer, graph.per_parameter, layer)};
}

void check_below(Wide value, Wide limit, const TrainingGraph& graph, std::string_view what,
                 const char* expected) {
  if (limit > value) return;
  too_large_to_count(graph, fmt::format("{} {}", wide_text(value), what), expected);
}

Bytes tensor_size(const TrainingGraph& graph, std::size_t tensor, std::int64_t batch) {
  const Wide bytes =
      Wide(graph.tensors[tensor].bytes_per_sample) * batch + graph.tensors[tensor].bytes_fixed;
  if (bytes.value() >= kMaxTensorBytes) {
    too_large_to_count(graph,
                       fmt::format("{} bytes in tensor {}", wide_text(bytes),
                                   tensor_name(graph, make_id<TensorId>(tensor))),
                       "every tensor below 2^48 bytes");
  }
  return Bytes(static_cast<std::int64_t>(bytes.value()));
}

}  // namespace

Amount amount_of(const TrainingGraph& graph, const Task& task, ComputeModel model,
                 std::int64_t batch) {
  if (task.kind == TaskKind::kUpdate) {
    return update_amount(graph, *graph.network->layers[task.layer.at()].model, model);
  }
  const auto [work, times] = counts_of(graph, task, model);
  const Wide fixed = times > 0 ? work.bytes_fixed : 0;
  return {Wide(work.flops_per_sample) * times * batch,
          Wide(work.bytes_per_sample) * times * batch + fixed};
}

Bytes workspace_of(const TrainingGraph& graph, const Task& task, std::int64_t batch) {
  const LayerModel& layer = *graph.network->layers[task.layer.at()].model;
  if (layer.custom && layer.custom->per == CustomCost::Per::kBatch) return layer.custom->workspace;
  const TaskWork work = layer.custom
                            ? TaskWork{.workspace_per_sample = layer.custom->workspace.count()}
                            : counts_of(graph, task, ComputeModel::kNative).work;
  Wide bytes = Wide(work.workspace_per_sample) * batch;
  if (work.workspace_most > 0 && bytes > Wide(work.workspace_most)) bytes = work.workspace_most;
  bytes = bytes + work.workspace_fixed;
  check_below(bytes, kMaxTensorBytes, graph, "bytes of workspace in one task",
              "every workspace below 2^48 bytes");
  return Bytes(static_cast<std::int64_t>(bytes.value()));
}

std::vector<Bytes> tensor_sizes(const TrainingGraph& graph, std::int64_t batch) {
  std::vector<Bytes> sizes;
  sizes.reserve(graph.tensors.size());
  Wide total = static_bytes(graph);
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    sizes.push_back(tensor_size(graph, i, batch));
    total = total + sizes.back().count();
  }
  check_below(total, kMaxTotalBytes, graph, "bytes in all tensors and weights together",
              "fewer than 2^56 bytes");
  return sizes;
}

void check_work(const TrainingGraph& graph, ComputeModel model, std::int64_t batch) {
  constexpr std::int64_t kTop = std::numeric_limits<std::int64_t>::max();
  Wide macs;
  for (const Layer& layer : graph.network->layers) {
    macs = macs + Wide(layer.model->forward_macs) * batch;
  }
  check_below(macs, kTop, graph, "forward MACs", "fewer than 2^63 MACs");
  Wide flops;
  for (const Task& task : graph.tasks) {
    flops = flops + amount_of(graph, task, model, batch).flops;
  }
  check_below(flops, kTop, graph, "FLOPs in one iteration", "fewer than 2^63 FLOPs");
}

std::int64_t task_flops(const TrainingGraph& graph, TaskId task, ComputeModel model,
                        std::int64_t batch) {
  const Wide flops = amount_of(graph, graph.tasks[task.at()], model, batch).flops;
  check_below(flops, std::numeric_limits<std::int64_t>::max(), graph, "FLOPs in one task",
              "fewer than 2^63 FLOPs");
  return static_cast<std::int64_t>(flops.value());
}

Bytes countable_bytes(Wide sum, const TrainingGraph& graph, std::string_view what) {
  check_below(sum, std::numeric_limits<std::int64_t>::max(), graph, what, "fewer than 2^63 bytes");
  return Bytes(static_cast<std::int64_t>(sum.value()));
}

void too_large_to_count(const TrainingGraph& graph, const std::string& found,
                        const std::string& expected) {
  throw SpecError({graph.network->name, "--batch", found, expected,
                   "the batch or the network is too large to count exactly"});
}

}  // namespace ooc
