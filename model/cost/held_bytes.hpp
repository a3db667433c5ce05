// Memory that grows within an iteration and is freed at its end: weight gradients freed between
// iterations (WeightGradients::kFreed), and inputs that the program still holds after their last
// reader (HeldInputs::kThroughout). Such bytes are no static memory. Schedules see the bytes in the
// workspaces of tasks. The executed plan holds them in blocks that stay to the last task
// (simulator/plan/wait_as_framework.hpp, docs/notebook/0043-gradients-that-are-freed.md).
#pragma once

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

/// Moves weight gradients from `costs.static_bytes` to the workspaces of tasks. A backward task has the
/// gradients written up to its end; an update has all. A forward task has the gradients present when backward
/// reaches its layer, since it may be recomputed until then; in its first run there is room to spare.
/// Preconditions: costs of `graph`, one device, no gradient accumulation, all gradients static.
void free_gradients(const TrainingGraph& graph, CostTable& costs);

/// Adds inputs that only forward reads to the workspaces of all tasks (backward may read a copy in
/// fewer bits). Their readers count them twice, since a recomputed reader finds a copied-in input
/// beside the held one. In its first run that is one too many, when memory is hardly used.
/// Preconditions: costs of `graph`, one device, no gradient accumulation.
void hold_inputs(const TrainingGraph& graph, CostTable& costs);

/// Sets `costs.first_states`: a layer's state is a tensor for each number that the optimiser keeps of a parameter.
void make_states_late(const TrainingGraph& graph, CostTable& costs);

/// Returns the costs with all gradients static no input held, no state made late.
[[nodiscard]] CostTable with_nothing_held(CostTable costs);

}  // namespace ooc
