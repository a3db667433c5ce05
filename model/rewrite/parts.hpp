// An iteration cut for memory that moves by pages. Parts of a tensor move independently. A task that touches more than
// the whole memory runs in slices, one after another, each of which touches its share of the parts. Tensors of the new
// graph are the parts, and tasks the slices (docs/notebook/0007-unified-memory.md).
#pragma once

#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

struct Parts {
  std::vector<std::int32_t> first;   ///< by tensor: index of its first part; then the number of all
  std::vector<std::int32_t> slices;  ///< by task: number of slices; empty: no task is cut

  [[nodiscard]] std::int32_t count(TensorId tensor) const {
    return first[tensor.at() + 1] - first[tensor.at()];
  }
  [[nodiscard]] std::int32_t slices_of(TaskId task) const {
    return slices.empty() ? 1 : slices[task.at()];
  }
};

/// Cuts each tensor into the fewest parts of equal size, at most `largest`. Sets Parts::first.
[[nodiscard]] Parts cut_tensors(const std::vector<Bytes>& tensor_bytes, Bytes largest);
/// Cuts tensors as above; `largest`: by tensor, above 0.
[[nodiscard]] Parts cut_tensors(const std::vector<Bytes>& tensor_bytes,
                                const std::vector<Bytes>& largest);

/// Number of slices of a task, and the bytes that one slice needs in GPU memory, workspace included.
struct SliceNeed {
  std::int32_t slices = 1;
  Bytes bytes;
};
/// Returns the number of slices (1, 2, 4, ..., number of parts) with the least need. `way`: algorithm of the task.
[[nodiscard]] SliceNeed least_need(const TrainingGraph& graph, const CostTable& costs,
                                   const Parts& parts, TaskId task, AlternativeId way);
/// Sets Parts::slices. `ways`: by task, its algorithm. A task that fits `available` is not cut. Others get the fewest
/// slices whose need is at most a quarter of `available` or, if least_need() is above that, at most least_need() and a
/// quarter of the rest. Precondition: each least_need() fits `available`.
void slice_tasks(Parts& parts, const TrainingGraph& graph, const CostTable& costs,
                 const std::vector<AlternativeId>& ways, Bytes available);

/// Returns the graph whose tasks are slices and whose tensors are parts of those of `graph`.
[[nodiscard]] TrainingGraph cut_graph(const TrainingGraph& graph, const Parts& parts);
/// Returns the costs of cut_graph(), without copy costs. Bytes and times are divided; a slice has the whole workspace.
[[nodiscard]] CostTable cut_costs(const CostTable& costs, const Parts& parts);

}  // namespace ooc
