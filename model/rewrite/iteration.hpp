// A training iteration: what is computed, and what it costs. Schedules plan one; passes make another of it that is written
// out as a graph like any other: micro-batches (iteration.hpp), devices (data_parallel.hpp), model states that move
// (state.hpp), pages (parts.hpp), compressed tensors (compression.hpp). So nothing behind them needs to know which it was.
#pragma once

#include <cstdint>
#include <memory>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"
#include "model/rewrite/data_parallel.hpp"

namespace ooc {

struct MovingState;  // state.hpp

struct Iteration {
  std::shared_ptr<const TrainingGraph> graph;
  CostTable costs = {};        ///< transfers included; `batch`: of the whole iteration
  std::int64_t sub_batch = 1;  ///< samples of every micro-batch but the last
  std::int64_t rounds = 1;     ///< micro-batches
  /// Whose `graph` this is; null: state stays near.
  std::shared_ptr<const MovingState> moving = {};
  DataParallel parallel = {};  ///< of several devices
  /// The first device's part; null: there is one device.
  std::shared_ptr<const Iteration> share = {};

  [[nodiscard]] const Iteration& of_device() const { return share ? *share : *this; }
};

// An iteration in rounds: the batch is cut into sub-batches, each of which is run forward and backward
// by itself while the weights' gradients add up, and one update ends the iteration. The tasks and tensors of every round
// are written out one round after another, then the updates follow. A schedule plans one round
// (docs/notebook/0004-sub-batches.md).

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
