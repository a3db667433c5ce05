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

/// Bytes alone, for where no machine is known: one alternative a task, without a time and with the workspace that a custom
/// layer states. Throws SpecError for what is too large to count.
[[nodiscard]] CostTable sizes_without_machine(const TrainingGraph& graph, std::int64_t batch);

}  // namespace ooc
