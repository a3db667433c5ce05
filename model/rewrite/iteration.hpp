// Training iteration: a graph and its costs. Schedules plan an iteration. Functions of this folder turn a graph into a
// new one: for micro-batches (iteration.hpp), model states that move to host memory or between devices (state.hpp),
// pages (parts.hpp) or compressed tensors (compression.hpp). Later stages do not distinguish these graphs.
#pragma once

#include <cstdint>
#include <memory>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

struct MovingState;  // state.hpp

struct Iteration {
  std::shared_ptr<const TrainingGraph> graph;
  CostTable costs = {};        ///< copy costs included; costs.batch: samples of all micro-batches
  std::int64_t sub_batch = 1;  ///< samples of a micro-batch; the last may have fewer
  std::int64_t rounds = 1;     ///< number of micro-batches
  /// Model states that move; `graph` is then moving->graph. Null: all states stay in the memory of one GPU.
  std::shared_ptr<const MovingState> moving = {};
};

// Gradient accumulation: the batch is cut into micro-batches, also called rounds here. Each runs forward and backward
// while weight gradients are summed, and one update ends the iteration. The new graph has the tasks and tensors of one
// micro-batch after another, then the updates. A schedule plans one micro-batch (docs/notebook/0004-sub-batches.md).

/// Returns the number of samples of the last micro-batch, 1 to `sub_batch`.
[[nodiscard]] constexpr std::int64_t last_round(std::int64_t batch, std::int64_t sub_batch) {
  return batch - (batch - 1) / sub_batch * sub_batch;
}

/// Returns the iteration of `batch` samples in micro-batches of full.batch. `graph`: of one micro-batch, with updates.
/// `full`, `last`: its costs for a full micro-batch and for the last one. Precondition: batch > full.batch.
[[nodiscard]] Iteration write_out_rounds(const TrainingGraph& graph, const CostTable& full,
                                         const CostTable& last, std::int64_t batch);

// Return the id, in the graph of all micro-batches, of a task or tensor of `round`, the graph of one; `r`: index of the
// micro-batch from 0. An update has one id, whatever `r`.
[[nodiscard]] TaskId task_in_round(const TrainingGraph& round, std::int64_t rounds, TaskId task,
                                   std::int64_t r);
[[nodiscard]] TensorId tensor_in_round(const TrainingGraph& round, TensorId tensor, std::int64_t r);

}  // namespace ooc
