// Joins plans of micro-batches to the plan of an iteration (model/rewrite/rounds.hpp): one plan
// repeated, then that of the last micro-batch. Updates remain only in the last.
#pragma once

#include "model/rewrite/rounds.hpp"
#include "simulator/plan/plan.hpp"

namespace ooc {

/// Plan of a micro-batch with its costs.
struct RoundPlan {
  const Plan& plan;
  const CostTable& costs;
};

/// `graph`: of a micro-batch on one device. The result is valid if both plans are, and needs their
/// memory: a micro-batch begins when the one before has ended and freed all its blocks.
[[nodiscard]] Plan join_rounds(const TrainingGraph& graph, const RoundPlan& full,
                               const RoundPlan& last, const Iteration& all);

}  // namespace ooc
