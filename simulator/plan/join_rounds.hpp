// From the plan of one round to the plan of an iteration of several (model/rewrite/rounds.hpp): the
// round's plan again and again, the last one's at the end, without the updates in all but that.
#pragma once

#include "model/rewrite/rounds.hpp"
#include "simulator/plan/plan.hpp"

namespace ooc {

/// A plan of a round with the costs that it was made with.
struct RoundPlan {
  const Plan& plan;
  const CostTable& costs;
};

/// `graph` is that of a round. One device. Sound if both plans are, and runs in the memory that
/// they run in: a round begins when the one before it has ended and gives back all that it took.
[[nodiscard]] Plan join_rounds(const TrainingGraph& graph, const RoundPlan& full,
                               const RoundPlan& last, const Rounds& rounds);

}  // namespace ooc
