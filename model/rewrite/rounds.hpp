// An iteration in rounds: the batch is cut into sub-batches, each of which is run forward and backward
// by itself while the weights' gradients add up, and one update ends the iteration. The tasks and tensors of every round
// are written out one round after another, then the updates follow. A schedule plans one round
// (docs/notebook/0004-sub-batches.md).
#pragma once

#include "model/rewrite/iteration.hpp"

namespace ooc {

/// Samples of the last round.
[[nodiscard]] constexpr std::int64_t last_round(std::int64_t batch, std::int64_t sub_batch) {
  return batch - (batch - 1) / sub_batch * sub_batch;
}

/// `graph` is the graph of a round with its updates; `full` and `last` are its costs at the
/// sub-batch and at the last round's samples. Precondition: more than one round.
[[nodiscard]] Iteration write_out_rounds(const TrainingGraph& graph, const CostTable& full,
                                         const CostTable& last, std::int64_t batch);

// Tasks and tensors of micro-batch r, from 0:
[[nodiscard]] TaskId task_in_round(const TrainingGraph& round, std::int64_t rounds, TaskId task,
                                   std::int64_t r);
[[nodiscard]] TensorId tensor_in_round(const TrainingGraph& round, TensorId tensor, std::int64_t r);

}  // namespace ooc
