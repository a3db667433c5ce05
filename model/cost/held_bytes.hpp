// What comes to stay within an iteration: gradients of weights that are freed between iterations (WeightGradients::kFreed),
// and inputs that the program around still holds when nothing reads them any more (HeldInputs::kThroughout). Neither is
// static, but part of what tasks take while they run, so that every schedule plans for it as it does for a workspace. In
// the plan that runs it is blocks that stay to the last task (simulator/plan/wait_as_framework.hpp,
// docs/notebook/0043-gradients-that-are-freed.md).
#pragma once

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

/// Takes the gradients that tasks of `graph` write out of `costs.static_bytes`. A backward task has those that it and tasks
/// before it write, an update all. A forward task is planned with what is there when backward comes to its layer: it may
/// run again until then, and the first time around little is near that would lack that room.
/// Preconditions: costs of `graph`, of one device and one round, in which they are static.
void free_gradients(const TrainingGraph& graph, CostTable& costs);

/// Keeps the inputs that forward alone reads, as where what backward reads is a copy in fewer bits. Their readers book them,
/// too: when one runs again, what schedules have brought back is there beside what is held. The first time around that is
/// one too many, when little else is near.
/// Preconditions: costs of `graph`, of one device and one round.
void hold_inputs(const TrainingGraph& graph, CostTable& costs);

/// The same costs with nothing of that: all gradients static, no input held.
[[nodiscard]] CostTable with_nothing_held(CostTable costs);

}  // namespace ooc
