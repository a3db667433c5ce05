// lms with --lms-action compress or both: its plan is about the network's graph with some tensors
// compressed (model/rewrite/compression.hpp), which it chooses itself, so it hands back that graph too.
#pragma once

#include <functional>

#include "model/rewrite/compression.hpp"
#include "simulator/schedules/schedule.hpp"
#include "simulator/schedules/sub_batch.hpp"

namespace ooc {

struct CompressionRequest {
  const PlanningProblem& problem;
  /// Prices it, transfers included.
  std::function<CostTable(const Compression& compression)> costs_of;
};

/// `rounds` of the result: one, of the graph that the plan is about; null: the network's.
[[nodiscard]] RoundsResult plan_with_compression(const CompressionRequest& request);

}  // namespace ooc
