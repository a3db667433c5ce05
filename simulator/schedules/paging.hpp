// Paging in order of arrival for `unified`, `unified-prefetch` and `unified-prefetch+`, resolved during
// planning. Tasks are visited in order, with near pages in the order in which they were first written or came
// back. No clock is needed, since this depends only on the order of tasks. A page is a tensor of the given
// graph; in real runs that is a part of a tensor (Trait::kMovesPages).
#pragma once

#include <optional>

#include "simulator/schedules/schedule.hpp"

namespace ooc {

enum class Prefetch {
  kNone,
  kNextLayer,  ///< when backward reaches a layer: pages that the next layer reads
  kBothWays,   ///< kNextLayer, and in every pass room for the next task
};

[[nodiscard]] PlanResult plan_paging(const PlanningProblem& problem, Prefetch prefetch);

}  // namespace ooc
