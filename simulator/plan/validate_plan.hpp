// The structural truth about a plan, whatever the timing (docs/architecture.md, 2): run on every
// plan in tests and in debug builds.
#pragma once

#include <optional>
#include <string>

#include "model/graph/training_graph.hpp"
#include "simulator/plan/plan.hpp"

namespace ooc {

/// None when the plan is sound; else one sentence that names the step and what is wrong:
/// an input not certainly resident when its task starts, a read after release, a block freed twice
/// or never, a near copy dropped before it was moved out though it is needed again, a task that
/// runs never or twice, a plan that waits on itself.
[[nodiscard]] std::optional<std::string> validate_plan(const Plan& plan, const TrainingGraph& graph,
                                                       const CostTable& costs);

}  // namespace ooc
