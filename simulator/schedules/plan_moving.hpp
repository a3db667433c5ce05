// "These tensors move": the plan for it. What most schedules come down to once they have chosen.
#pragma once

#include <vector>

#include "simulator/schedules/schedule.hpp"

namespace ooc {

/// Every task in order; these tensors (of find_candidates(), move_candidates.hpp, in any order) leave once behind
/// their last writer and return one by one in the order in which backward needs them, each as early as memory
/// allows. OutOfMemory at the first task that lacks memory even so, with the smallest budget that would do.
[[nodiscard]] PlanResult plan_moving(const PlanningProblem& problem,
                                     const std::vector<TensorId>& away);

}  // namespace ooc
