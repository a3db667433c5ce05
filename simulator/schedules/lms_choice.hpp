// What lms decides whatever it does with a tensor: which come first, and when each is restored
// (lms.cpp). Shared by its swap action and by compression (lms_compress.hpp).
#pragma once

#include <optional>
#include <vector>

#include "simulator/plan/memory_ledger.hpp"
#include "simulator/schedules/schedule.hpp"
#include "simulator/schedules/task_plan.hpp"

namespace ooc {

/// SpecError for numbers that mean nothing.
void check_lms_options(const ScheduleOptions& options);

/// What may be chosen, longest slack first; --max-swaps not yet taken off.
[[nodiscard]] std::vector<TensorId> rank_for_lms(const PlanningProblem& problem);

/// A tensor that comes back, and the one that is then used: the same, or what is made from it.
struct Restoration {
  TensorId moved;
  TensorId used;
  std::optional<TaskId> reader = {};  ///< it returns for this task alone; none: for all of them
};

/// One after the other, in this order, that of their first uses. The ledger has them all away up to their first
/// backward use.
[[nodiscard]] std::vector<Move> chain_restorations(const PlanningProblem& problem,
                                                   MemoryLedger& ledger,
                                                   const std::vector<Restoration>& restorations);

}  // namespace ooc
