// What `unified`, `unified-prefetch` and `unified-prefetch+` share: paging by order of arrival, resolved when planning. The tasks are
// gone through in order, with what is near in the order in which it was first written or came back; no clock is
// needed, because that hangs on the order of the tasks alone. A page is a tensor of the graph at hand; in a real run
// those are parts of tensors (Trait::kMovesPages).
#pragma once

#include <optional>

#include "simulator/schedules/schedule.hpp"

namespace ooc {

enum class Prefetch {
  kNone,
  kNextLayer,  ///< when the backward pass reaches a layer, what the next one reads
  kBothWays,   ///< that, and in every pass room for the next task
};

/// What one task touches is more than there is: none may be evicted while it runs.
[[nodiscard]] std::optional<OutOfMemory> paging_shortage(const PlanningProblem& problem);

[[nodiscard]] PlanResult plan_paging(const PlanningProblem& problem, Prefetch prefetch);

}  // namespace ooc
