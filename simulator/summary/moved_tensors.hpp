// The tensors that a plan moves, each stay away with what it costs: for `predict`.
#pragma once

#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/summary/run_report.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

/// Of the first device, in the order in which they leave, or come where nothing is copied out; not what devices
/// exchange.
[[nodiscard]] std::vector<MovedTensor> moved_tensors(const Plan& plan, const TrainingGraph& graph,
                                                     const CostTable& costs,
                                                     const Timeline& timeline);

}  // namespace ooc
