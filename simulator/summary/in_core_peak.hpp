// Peak of GPU memory if nothing moves, static bytes included, by accounting rule (docs/model.md,
// 3). Reported as `in_core_peak_bytes`.
#pragma once

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

/// Liveness and define-by-run: the largest sum over tasks of live tensors and the first
/// alternative's workspace. Rules without lifetimes: their footprint and the largest workspace.
[[nodiscard]] Bytes in_core_peak(const TrainingGraph& graph, const CostTable& costs,
                                 Accounting accounting);

}  // namespace ooc
