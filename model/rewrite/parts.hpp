// An iteration cut for memory that moves by pages. Parts of a tensor move independently. A task
// that touches more than the whole memory runs in slices, one after another, each of which touches
// its share of the parts. Tensors of the new graph are the parts, and tasks the slices
// (docs/notebook/0007-unified-memory.md).
#pragma once

#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

struct Parts {
  std::vector<std::int32_t> first;   ///< by tensor: index of its first part; then the end
  std::vector<std::int32_t> slices;  ///< by task: number of slices; empty: no task is cut

  [[nodiscard]] std::int32_t count(TensorId tensor) const {
    return first[tensor.at() + 1] - first[tensor.at()];
  }
  [[nodiscard]] std::int32_t slices_of(TaskId task) const {
    return slices.empty() ? 1 : slices[task.at()];
  }
};

/// Cuts tensors into the fewest equal parts that do not exceed `largest`.
[[nodiscard]] Parts cut_tensors(const std::vector<Bytes>& tensor_bytes, Bytes largest);
/// Cuts tensors, each with its own limit, by tensor.
[[nodiscard]] Parts cut_tensors(const std::vector<Bytes>& tensor_bytes,
                                const std::vector<Bytes>& largest);

/// Least bytes that a task needs at once, workspace included, and the number of slices for it.
struct SliceNeed {
  std::int32_t slices = 1;
  Bytes bytes;
};
[[nodiscard]] SliceNeed least_need(const TrainingGraph& graph, const CostTable& costs,
                                   const Parts& parts, TaskId task, AlternativeId way);
/// Sets `slices`. `ways`: algorithms by task. Tasks that fit `available` stay whole. Others get the fewest slices that
/// need a quarter of `available`, or the least need and a quarter of what is beside it, if that is more; else those of
/// least_need(). Precondition: that fits.
void slice_tasks(Parts& parts, const TrainingGraph& graph, const CostTable& costs,
                 const std::vector<AlternativeId>& ways, Bytes available);

/// Returns the graph whose tasks are slices and whose tensors are parts, with their lifetimes.
[[nodiscard]] TrainingGraph cut_graph(const TrainingGraph& graph, const Parts& parts);
/// Returns the costs of cut_graph(), without transfers: bytes of parts, times of slices, unchanged workspaces.
[[nodiscard]] CostTable cut_costs(const CostTable& costs, const Parts& parts);

}  // namespace ooc
