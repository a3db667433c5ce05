// Gradient accumulation: the batch is cut into micro-batches ("rounds"). Each runs forward and
// backward by itself while weight gradients add up, and one update ends the iteration. The result
// is one training graph: tasks and tensors micro-batch by micro-batch, then the updates. So checks,
// engine, bounds, reports and replay need not know of it. Nor do schedules, which plan one
// micro-batch (docs/notebook/0004-sub-batches.md).
#pragma once

#include <cstdint>
#include <memory>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

struct MovingState;  // state.hpp

struct Rounds {
  std::int64_t sub_batch = 1;  ///< samples of every micro-batch but the last
  std::int64_t count = 1;
  TrainingGraph graph;
  CostTable costs;  ///< with transfers; `batch` is that of the whole iteration
  /// Moving model states, whose graph this is; there may then be one micro-batch. Null: states stay near.
  std::shared_ptr<const MovingState> moving = {};
};

/// Samples of the last micro-batch.
[[nodiscard]] constexpr std::int64_t last_round(std::int64_t batch, std::int64_t sub_batch) {
  return batch - (batch - 1) / sub_batch * sub_batch;
}

/// `graph`: of one micro-batch with its updates. `full` and `last`: its costs at the sub-batch and
/// at the last micro-batch. Precondition: more than one micro-batch.
[[nodiscard]] Rounds write_out_rounds(const TrainingGraph& graph, const CostTable& full,
                                      const CostTable& last, std::int64_t batch);

// Tasks and tensors of micro-batch r, from 0:
[[nodiscard]] TaskId task_in_round(const TrainingGraph& round, std::int64_t rounds, TaskId task,
                                   std::int64_t r);
[[nodiscard]] TensorId tensor_in_round(const TrainingGraph& round, TensorId tensor, std::int64_t r);

}  // namespace ooc
