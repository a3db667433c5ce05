// Plans without barriers: every task in order, tensors that move go out once after their last
// writer and come back once, and nothing but data, memory and the order on the queues holds a step
// up. in-core is the case in which nothing moves.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "simulator/schedules/schedule.hpp"

namespace ooc {

/// A tensor that leaves near memory between its last forward and its first backward use.
struct Move {
  TensorId tensor;
  TaskId may_return_after;  ///< its copy in waits for this task
  /// Its copy out waits for this task, not before its last writer; none: for that.
  std::optional<TaskId> leaves_after = {};
  /// It returns for this backward task and is gone behind it; none: for all of them.
  std::optional<TaskId> reader = {};
};

/// `moves` in the order in which the copies in are queued: by first backward use, or by readers. A network input
/// is dropped without a copy out. Needs memory for everything between first and last use, except
/// moved tensors between their last forward use and the task they return after. `turn`: a task that
/// waits until all copies out before it have ended.
[[nodiscard]] Plan build_task_plan(const PlanningProblem& problem, const std::vector<Move>& moves,
                                   std::optional<TaskId> turn = std::nullopt);

}  // namespace ooc
