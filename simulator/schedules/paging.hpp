// Paging in order of arrival for `unified`, `unified-prefetch` and `unified-prefetch+`, resolved
// during planning. Tasks are visited in order. The page that was written or came back longest ago
// leaves first. No clock is needed, since this depends only on the order of tasks. A page is a
// tensor of the given graph; in runs that is a part of a tensor (Trait::kMovesPages).
#pragma once


#include "simulator/schedules/schedule.hpp"

namespace ooc {

enum class Prefetch {
  kNone,
  kNextLayer,  ///< when backward reaches a layer, pages that the next layer reads come in
  kBothWays,   ///< as kNextLayer; also, while a task runs, pages leave to make room for the next
};

[[nodiscard]] PlanResult plan_paging(const PlanningProblem& problem, Prefetch prefetch);

}  // namespace ooc
