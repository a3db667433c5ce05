// An iteration cut for memory that moves by pages. Of a tensor in parts one part may be near while another is not;
// a task that touches more than the whole memory runs in slices, one behind the other, each of which
// touches its share of the parts. Like an iteration in rounds (rounds.hpp) it is written out as one training
// graph, whose tensors are the parts and whose tasks are the slices (docs/notebook/0007-unified-memory.md). So
// plans, checks, engine and reports need not know of it.
#pragma once

#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

struct Parts {
  std::vector<std::int32_t> first;  ///< by tensor: the index of its first part; plus one at the end
  std::vector<std::int32_t> slices;  ///< by task; empty: no task is cut

  [[nodiscard]] std::int32_t count(TensorId tensor) const {
    return first[tensor.at() + 1] - first[tensor.at()];
  }
  [[nodiscard]] std::int32_t slices_of(TaskId task) const {
    return slices.empty() ? 1 : slices[task.at()];
  }
};

/// As few parts of equal size as make none larger than `largest`.
[[nodiscard]] Parts cut_tensors(const std::vector<Bytes>& tensor_bytes, Bytes largest);
/// The same with a limit for each tensor.
[[nodiscard]] Parts cut_tensors(const std::vector<Bytes>& tensor_bytes,
                                const std::vector<Bytes>& largest);

/// What a task holds at once, workspace included, in the number of slices that holds least.
struct SliceNeed {
  std::int32_t slices = 1;
  Bytes bytes;
};
[[nodiscard]] SliceNeed least_need(const TrainingGraph& graph, const CostTable& costs,
                                   const Parts& parts, TaskId task, AlternativeId way);
/// Sets `slices`, `ways` being the alternatives by task: tasks that fit stay whole, others get the fewest slices that hold a quarter of
/// `available` each (or of what the least need leaves of it, where that is more), or those that hold least. Precondition: the least need of each fits.
void slice_tasks(Parts& parts, const TrainingGraph& graph, const CostTable& costs,
                 const std::vector<AlternativeId>& ways, Bytes available);

/// The slices of the tasks on the parts of their tensors, with lifetimes of their own.
[[nodiscard]] TrainingGraph cut_graph(const TrainingGraph& graph, const Parts& parts);
/// The same costs at any batch: bytes of the parts, times of the slices, workspaces as they were;
/// without transfers.
[[nodiscard]] CostTable cut_costs(const CostTable& costs, const Parts& parts);

}  // namespace ooc
