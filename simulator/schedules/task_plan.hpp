// Plans without barriers: tasks in order; each moved tensor goes out once, after its last writer,
// and returns once, or once for each reader. A step waits only for data, memory and its queue.
// Without moves this is in-core's plan.
#pragma once

#include <optional>
#include <vector>

#include "simulator/schedules/schedule.hpp"

namespace ooc {

/// Move of a tensor that leaves GPU memory between its last forward and its first backward use.
struct Move {
  TensorId tensor;
  TaskId may_return_after;  ///< the copy in waits for this task
  /// Task that the copy out waits for, at or after the last writer; unset: the last writer.
  std::optional<TaskId> leaves_after = {};
  /// Backward task for which the tensor returns, and after which it is dropped; unset: all readers.
  std::optional<TaskId> reader = {};
};

/// Returns the plan. `moves`: in the order of the copies in, by first backward use or by reader. A
/// network input is dropped without a copy out. Memory holds each tensor from first to last use,
/// except moved tensors between their last forward use and task `may_return_after`. `turn`: task
/// that waits for all earlier copies out; unset: none.
[[nodiscard]] Plan build_task_plan(const PlanningProblem& problem, const std::vector<Move>& moves,
                                   std::optional<TaskId> turn = std::nullopt);

}  // namespace ooc
