#include "simulator/predict/roofline.hpp"

#include <algorithm>
#include <limits>

#include "model/cost/amounts.hpp"

namespace ooc {
namespace {

std::int64_t in_63_bits(Wide bytes) {
  const Wide top = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>((top > bytes ? bytes : top).value());
}

}  // namespace

Roofline roofline_of(const Case& which) {
  const TrainingGraph& graph = which.workload.graph;
  const double scale =
      static_cast<double>(which.compute.compute_scale.count()) / static_cast<double>(kOne.count());
  Roofline roofline{
      .near_rate = ooc::scale(which.hardware.near_memory.throughput, which.compute.compute_scale),
      .layers = {}};
  std::vector<Wide> forward(graph.network->layers.size());
  std::vector<Wide> backward(forward.size());
  for (std::size_t i = 0; i < graph.backward_end; ++i) {
    const Task& task = graph.tasks[i];
    Wide& sum = (task.kind == TaskKind::kForward ? forward : backward)[task.layer.at()];
    sum = sum + amount_of(graph, task, which.compute_model, which.costs.batch).bytes;
  }
  for (std::size_t i = 0; i < forward.size(); ++i) {
    const LayerModel& layer = *graph.network->layers[i].model;
    const auto peak = which.hardware.peak.find(layer.computes_in.value_or(graph.network->dtype));
    roofline.layers.push_back({.peak = peak == which.hardware.peak.end()
                                           ? std::nullopt
                                           : std::optional(peak->second.per_second * scale),
                               .forward_bytes = in_63_bits(forward[i]),
                               .backward_bytes = in_63_bits(backward[i])});
  }
  return roofline;
}

}  // namespace ooc
