// An iteration in rounds: the batch is cut into sub-batches, each of which is run forward and backward
// by itself while the weights' gradients add up, and one update ends the iteration. It is a training
// graph like any other: the tasks and tensors of every round are written out one round after
// another, then the updates follow. So nothing that reads graphs, costs and plans (checks, engine,
// bounds, reports, replay) knows of rounds; a schedule does not either, because it plans one round
// (docs/notebook/0004-sub-batches.md).
#pragma once

#include <cstdint>
#include <memory>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

struct MovingState;  // state.hpp

struct Rounds {
  std::int64_t sub_batch = 1;  ///< samples of every round but the last
  std::int64_t count = 1;
  TrainingGraph graph;
  CostTable costs;  ///< transfers included; `batch` is that of the whole iteration
  /// Whose `graph` this is, where state moves: then there may be one round; else null.
  std::shared_ptr<const MovingState> moving = {};
};

/// Samples of the last round.
[[nodiscard]] constexpr std::int64_t last_round(std::int64_t batch, std::int64_t sub_batch) {
  return batch - (batch - 1) / sub_batch * sub_batch;
}

/// `graph` is the graph of a round with its updates; `full` and `last` are its costs at the
/// sub-batch and at the last round's samples. Precondition: more than one round.
[[nodiscard]] Rounds write_out_rounds(const TrainingGraph& graph, const CostTable& full,
                                      const CostTable& last, std::int64_t batch);

// Where the things of a round stand: round r from 0 on.
[[nodiscard]] TaskId task_in_round(const TrainingGraph& round, std::int64_t rounds, TaskId task,
                                   std::int64_t r);
[[nodiscard]] TensorId tensor_in_round(const TrainingGraph& round, TensorId tensor, std::int64_t r);

}  // namespace ooc
