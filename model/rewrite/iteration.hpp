// Training iteration: a graph and its costs. Schedules plan an iteration. Passes rewrite one into another, written out
// as a graph like any other: micro-batches (iteration.hpp), model states that move to host memory or between devices
// (state.hpp), pages (parts.hpp), compressed tensors (compression.hpp). Later stages do not distinguish these.
#pragma once

#include <cstdint>
#include <memory>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

struct MovingState;  // state.hpp

struct Iteration {
  std::shared_ptr<const TrainingGraph> graph;
  CostTable costs = {};        ///< transfers included; `batch`: of the whole iteration
  std::int64_t sub_batch = 1;  ///< samples of every micro-batch except the last
  std::int64_t rounds = 1;     ///< number of micro-batches
  /// Model states that move, whose `graph` this is; null: all stay in the memory of one GPU.
  std::shared_ptr<const MovingState> moving = {};
};

// Gradient accumulation: the batch is cut into micro-batches, also called rounds here. Each runs
// forward and backward while weight gradients are summed, and one update ends the iteration. The
// new graph has the tasks and tensors of one micro-batch after another, then the updates. A
// schedule plans one micro-batch (docs/notebook/0004-sub-batches.md).

/// Returns the samples of the last micro-batch, 1 to sub_batch.
[[nodiscard]] constexpr std::int64_t last_round(std::int64_t batch, std::int64_t sub_batch) {
  return batch - (batch - 1) / sub_batch * sub_batch;
}

/// Returns the iteration. `graph`: of one micro-batch, with the updates. `full` and `last`: its costs at `sub_batch`
/// and at the last micro-batch's samples. Precondition: two micro-batches or more.
[[nodiscard]] Iteration write_out_rounds(const TrainingGraph& graph, const CostTable& full,
                                         const CostTable& last, std::int64_t batch);

// Return the ids in the iteration for a task or tensor of `round`, the graph of one micro-batch; r: which, from 0.
[[nodiscard]] TaskId task_in_round(const TrainingGraph& round, std::int64_t rounds, TaskId task,
                                   std::int64_t r);
[[nodiscard]] TensorId tensor_in_round(const TrainingGraph& round, TensorId tensor, std::int64_t r);

}  // namespace ooc
