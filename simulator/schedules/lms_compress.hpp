// lms with --lms-action compress or both. The schedule chooses the tensors to compress, so it
// returns a new graph with its plan (model/rewrite/compression.hpp).
#pragma once

#include <functional>

#include "model/rewrite/compression.hpp"
#include "simulator/schedules/schedule.hpp"
#include "simulator/schedules/sub_batch.hpp"

namespace ooc {

struct CompressionRequest {
  const PlanningProblem& problem;
  /// Returns the costs of the compressed graph, transfers included.
  std::function<CostTable(const Compression& compression)> costs_of;
};

[[nodiscard]] PlannedIteration plan_with_compression(const CompressionRequest& request);

}  // namespace ooc
