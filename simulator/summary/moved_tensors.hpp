// Moves of tensors in a plan with their costs, for `predict`.
#pragma once

#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/summary/run_report.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

/// Returns the moves on the first device, in the order of their copies out (or in, if none goes
/// out), without the exchange between devices.
[[nodiscard]] std::vector<MovedTensor> moved_tensors(const Plan& plan, const TrainingGraph& graph,
                                                     const CostTable& costs,
                                                     const Timeline& timeline);

}  // namespace ooc
