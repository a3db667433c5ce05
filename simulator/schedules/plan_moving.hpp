// Plan in which given tensors move: the last step of most schedules.
#pragma once

#include <vector>

#include "simulator/schedules/schedule.hpp"

namespace ooc {

enum class Returns { kOnce, kForEachReader };
/// Returns the plan that runs every task in order and moves `away` (tensors of find_candidates(),
/// move_candidates.hpp, in any order). A moved tensor is copied out once, after its last writer;
/// its memory is free when the copy and its last forward use have ended. A network input is dropped
/// without a copy out, since host memory has it. Tensors return one by one in the order of
/// find_candidates(), each as early as memory allows, once the one before has been used. `returns`:
/// once, to stay up to the last use; or anew for each backward task that reads it. Returns
/// OutOfMemory at the first task that lacks memory even so, with the smallest budget that suffices.
/// Tasks run by problem.chosen(), so such schedules list "--algorithms" in `options`.
[[nodiscard]] PlanResult plan_moving(const PlanningProblem& problem,
                                     const std::vector<TensorId>& away,
                                     Returns returns = Returns::kOnce);

}  // namespace ooc
