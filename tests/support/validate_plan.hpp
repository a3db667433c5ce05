// Structural check of a plan, whatever the timing (docs/architecture.md, 2). Tests and debug builds
// run it on every plan.
#pragma once

#include <optional>
#include <string>

#include "model/graph/training_graph.hpp"
#include "simulator/plan/plan.hpp"

namespace ooc {

/// Returns a sentence with the step and its fault; unset: valid. Faults: an input not certainly
/// near at its task's start, a read after release, a block freed twice or never, a tensor dropped
/// before the copy out though needed again, a task run never or twice, a cycle of waits.
[[nodiscard]] std::optional<std::string> validate_plan(const Plan& plan, const TrainingGraph& graph,
                                                       const CostTable& costs);

}  // namespace ooc
