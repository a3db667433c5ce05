// The peak of near memory when nothing moves, static bytes included, under an accounting rule
// (docs/model.md, 3): what `in_core_peak_bytes` says.
#pragma once

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

/// Liveness and define-by-run: the largest sum, over the tasks, of live tensors and the workspace
/// of its first alternative. The rules without lifetimes: their footprint and the largest
/// workspace.
[[nodiscard]] Bytes in_core_peak(const TrainingGraph& graph, const CostTable& costs,
                                 Accounting accounting);

}  // namespace ooc
