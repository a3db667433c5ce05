// Which tensors a schedule may move between the forward and the backward pass, and what the tasks
// need when some of them do: shared by the schedules that plan task by task (capacity, swap-in-out,
// lms) and differ in which of them move and when those come back.
#pragma once

#include <vector>

#include "simulator/schedules/footprint.hpp"

namespace ooc {

/// Saved tensors with at least one task between their last forward and their first backward use, in
/// the order of the first backward use; of those used together the latest written first. The order in which
/// forward writes them: sort by written_at(), of equals (network inputs, a task's outputs) by id.
[[nodiscard]] std::vector<TensorId> find_candidates(const TrainingGraph& graph);

/// What the tasks need, task by task, when these candidates are away between the two uses.
[[nodiscard]] Footprint footprint_without(const PlanningProblem& problem,
                                          const std::vector<TensorId>& away);

/// OutOfMemory at the first task that does not fit into the budget.
[[nodiscard]] std::optional<OutOfMemory> task_shortage(const PlanningProblem& problem,
                                                       const Footprint& footprint);

/// Place of the last writer; -1 for a network input, which is written before all.
[[nodiscard]] std::int32_t written_at(const TrainingGraph& graph, TensorId tensor);

}  // namespace ooc
