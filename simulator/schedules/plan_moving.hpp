// "These tensors move": the plan for it. What most schedules come down to once they have chosen.
#pragma once

#include <vector>

#include "simulator/schedules/schedule.hpp"

namespace ooc {

/// Every task in order; these tensors (of find_candidates(), move_candidates.hpp, in any order) move, the others
/// stay. One that moves is copied out once, from the end of its last writer on, and its memory is free when both
/// the copy and its last forward use have ended. A network input is clean in far memory: it is dropped behind
/// its last forward use without a copy out. They return one by one in the order in which backward needs them (that of
/// find_candidates()), each as early as memory allows, once what returned before it has been used. `returns`: once,
/// and they stay up to their last use; or anew for each backward task that reads them.
/// OutOfMemory at the first task that lacks memory even so, with the smallest budget that would do.
/// Tasks run by problem.chosen(): the `options` of a schedule that plans so list "--algorithms".
enum class Returns { kOnce, kForEachReader };
[[nodiscard]] PlanResult plan_moving(const PlanningProblem& problem,
                                     const std::vector<TensorId>& away,
                                     Returns returns = Returns::kOnce);

}  // namespace ooc
