// Default rule for algorithms (without --algorithms): the fastest for each task whose workspace
// fits, as frameworks choose. A workspace may always take memory that no plan could use: the memory
// beside all tensors alive during its task. Beyond that it competes with tensors that could stay
// near. A limit decides, the room: bytes for a task's own tensors and its workspace together.
// simulator/predict/scheduled_case.hpp runs the job in each room and takes the best. Rooms do not
// depend on the budget, so more memory never offers fewer choices.
#pragma once

#include <vector>

#include "simulator/schedules/schedule.hpp"

namespace ooc {

/// Returns rooms worth trying up to `budget`, ascending, static bytes included. The first is 0:
/// only memory that no tensor could use. Each speeds up compute by at least 1 % over the one
/// before. The room in which every task has its fastest algorithm is always included.
[[nodiscard]] std::vector<Bytes> algorithm_rooms(const TrainingGraph& graph, const CostTable& costs,
                                                 Bytes budget);

/// Returns by task the fastest alternative that fits the room or beside all live tensors; else the first.
[[nodiscard]] std::vector<AlternativeId> fitting_algorithms(const TrainingGraph& graph,
                                                            const CostTable& costs, Bytes room,
                                                            Bytes budget);

/// Sets PlanningProblem::fitting by the problem's options.
void fit_algorithms(PlanningProblem& problem);

}  // namespace ooc
