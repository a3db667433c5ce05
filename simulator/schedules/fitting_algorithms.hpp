// The rule for algorithms of every job that states none (--algorithms): for each task the quickest whose workspace
// fits, as frameworks choose. A workspace may always take what no plan could use: the memory beside everything that is
// alive while its task runs. Beyond that it competes with tensors that could stay near, so that a limit decides, the
// room: near memory that a task's own tensors and its workspace may take together. Which room is best is found by
// running the job in each (simulator/predict/scheduled_case.hpp). Rooms do not depend on the budget: with more memory
// every choice of algorithms that less memory allows is there, too.
#pragma once

#include <vector>

#include "simulator/schedules/schedule.hpp"

namespace ooc {

/// Rooms worth trying, static bytes included, ascending, up to `budget`; first 0: nothing but memory that no tensor
/// could use. From one to the next compute gets quicker by a hundredth at least; the last room of all, in which every
/// task runs by its quickest algorithm, is never left out.
[[nodiscard]] std::vector<Bytes> algorithm_rooms(const TrainingGraph& graph, const CostTable& costs,
                                                 Bytes budget);

/// By task: the quickest alternative that fits into the room or beside all that is alive; if none does, the first.
[[nodiscard]] std::vector<AlternativeId> fitting_algorithms(const TrainingGraph& graph,
                                                            const CostTable& costs, Bytes room,
                                                            Bytes budget);

/// Fills PlanningProblem::fitting by its options.
void fit_algorithms(PlanningProblem& problem);

}  // namespace ooc
