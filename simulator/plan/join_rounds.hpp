// Joins plans of micro-batches to the plan of an iteration (model/rewrite/iteration.hpp): one plan
// repeated, then that of the last micro-batch. Updates remain only in the last.
#pragma once

#include "model/rewrite/iteration.hpp"
#include "simulator/plan/plan.hpp"

namespace ooc {

/// Plan of a micro-batch with its costs.
struct RoundPlan {
  const Plan& plan;
  const CostTable& costs;
};

/// Returns the plan of the iteration `all`: `full` repeated, then `last`. `graph`: of a micro-batch on one device. The
/// result is valid if both plans are, and needs no more memory: micro-batches do not overlap.
[[nodiscard]] Plan join_rounds(const TrainingGraph& graph, const RoundPlan& full,
                               const RoundPlan& last, const Iteration& all);

}  // namespace ooc
