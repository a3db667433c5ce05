// Plans without barriers: every task in order; moved tensors go out once after their last writer
// and return once. A step waits only for data, memory and its queue. in-core is the plan without
// moves.
#pragma once

#include <optional>
#include <vector>

#include "simulator/schedules/schedule.hpp"

namespace ooc {

/// Tensor that leaves GPU memory between its last forward and its first backward use.
struct Move {
  TensorId tensor;
  TaskId may_return_after;  ///< the copy in waits for this task
  /// Task that the copy out waits for, at or after the last writer; unset: the last writer.
  std::optional<TaskId> leaves_after = {};
  /// Backward task that it returns for and is dropped after; unset: all its readers.
  std::optional<TaskId> reader = {};
};

/// `moves`: in the order of the copies in, by first backward use or by reader. A network input is
/// dropped without a copy out. Needs memory for every tensor from first to last use, except moved
/// tensors between their last forward use and the task that they return after. `turn`: task that
/// waits for all earlier copies out.
[[nodiscard]] Plan build_task_plan(const PlanningProblem& problem, const std::vector<Move>& moves,
                                   std::optional<TaskId> turn = std::nullopt);

}  // namespace ooc
