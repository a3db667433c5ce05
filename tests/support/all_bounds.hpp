// All four lower bounds of a graph, and the budget below which there is none, for tests of laws.
#pragma once

#include <algorithm>
#include <optional>
#include <set>

#include "simulator/plan/bounds.hpp"

namespace ooc::test {

inline std::optional<LowerBounds> all_bounds(const TrainingGraph& graph, const CostTable& costs,
                                             Bytes budget) {
  MemoryPressure pressure;
  find_memory_pressure(graph, costs, budget, pressure);
  if (!pressure.feasible) return std::nullopt;
  LowerBounds bounds = bound_cuts(pressure, costs.transfers);
  bounds.windows = std::max(bounds.cut, bound_windows(graph, costs, pressure));
  return bounds;
}

/// Returns the largest need of one task plus static bytes, below which no schedule of whole tasks can run.
inline Bytes smallest_task_budget(const TrainingGraph& graph, const CostTable& costs) {
  Bytes largest;
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const TaskId task = make_id<TaskId>(i);
    std::set<std::size_t> touched;
    for (const TensorId tensor : graph.reads[task]) touched.insert(tensor.at());
    for (const TensorId tensor : graph.writes[task]) touched.insert(tensor.at());
    Bytes needed = costs.alternatives_of(task).front().workspace;
    for (const TaskAlternative& way : costs.alternatives_of(task)) {
      needed = std::min(needed, way.workspace);
    }
    for (const std::size_t tensor : touched) needed += costs.tensor_bytes[tensor];
    largest = std::max(largest, needed);
  }
  return largest + costs.static_bytes;
}

}  // namespace ooc::test
