// Tensors that may move between forward and backward, and the memory that tasks need without them.
// For schedules that plan by task (capacity, swap-in-out, lms) and differ in which tensors move and
// when they return.
#pragma once

#include <span>
#include <vector>

#include "simulator/schedules/footprint.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

/// Returns saved tensors with a task between their last forward and first backward use, by first
/// backward use; ties: the latest written first. For the order in which forward writes them, sort
/// by written_at(), then by id.
[[nodiscard]] std::vector<TensorId> find_candidates(const TrainingGraph& graph);

/// Returns by tensor: true if it may move. With --only: if backward of a layer named there reads it. Throws SpecError
/// for a name in --only that matches no layer.
[[nodiscard]] std::vector<bool> may_move(const PlanningProblem& problem);
/// Returns the tensors of find_candidates(problem.graph) that may_move() allows, in the same order.
[[nodiscard]] std::vector<TensorId> find_candidates(const PlanningProblem& problem);

/// Returns the tensors of `away` in the order of find_candidates(graph).
[[nodiscard]] std::vector<TensorId> in_order_of_return(const TrainingGraph& graph,
                                                       std::span<const TensorId> away);

/// Returns by task the memory needed if the tensors of `away` leave between last forward and first backward use.
[[nodiscard]] Footprint footprint_without(const PlanningProblem& problem,
                                          const std::vector<TensorId>& away);
/// Returns by task the memory needed. `back`: by tensor, task from which it is near again; unset: it never leaves.
[[nodiscard]] Footprint footprint_between(const PlanningProblem& problem,
                                          const std::vector<std::optional<TaskId>>& back);

/// Returns OutOfMemory at the first task beyond the budget; unset: all fit.
[[nodiscard]] std::optional<OutOfMemory> task_shortage(const PlanningProblem& problem,
                                                       const Footprint& footprint);

/// Returns the index of the last writer; -1 for network inputs, which precede all tasks.
[[nodiscard]] std::int32_t written_at(const TrainingGraph& graph, TensorId tensor);

enum class Returns { kOnce, kForEachReader };
/// Returns the plan that runs every task in order and moves `away` (tensors of find_candidates(),
/// in any order). A moved tensor is copied out once, after its last writer; its memory is free when
/// the copy and its last forward use have ended. A network input is dropped without a copy out,
/// since host memory has it. Tensors return one by one in the order of find_candidates(), each as
/// early as memory allows, once the one before has been used. kOnce: a tensor then stays up to its
/// last use. kForEachReader: it returns for each backward task that reads it, if backward does not
/// write it. If a task lacks memory even so, returns OutOfMemory at the first such task. Tasks run
/// the algorithms of problem.chosen(), so schedules that call this list "--algorithms" in `options`.
[[nodiscard]] PlanResult plan_moving(const PlanningProblem& problem,
                                     const std::vector<TensorId>& away,
                                     Returns returns = Returns::kOnce);

}  // namespace ooc
