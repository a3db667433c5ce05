// A training iteration: what is computed, and what it costs. Schedules plan one; passes make another of it that is written
// out as a graph like any other: micro-batches (rounds.hpp), devices (data_parallel.hpp), model states that move
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
  CostTable costs;             ///< transfers included; `batch`: of the whole iteration
  std::int64_t sub_batch = 1;  ///< samples of every micro-batch but the last
  std::int64_t rounds = 1;     ///< micro-batches
  /// Whose `graph` this is; null: state stays near.
  std::shared_ptr<const MovingState> moving = {};
  DataParallel parallel = {};  ///< of several devices
  /// The first device's part; null: there is one device.
  std::shared_ptr<const Iteration> share = {};

  [[nodiscard]] const Iteration& of_device() const { return share ? *share : *this; }
};

}  // namespace ooc
