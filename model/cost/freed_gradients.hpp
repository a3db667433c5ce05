// Gradients of weights that come and go within an iteration (WeightGradients::kFreed): not static, but part of what tasks
// take while they run, so that every schedule plans for them as it does for a workspace. In the plan that runs they are
// blocks from their first writer to the last task (simulator/plan/hold_gradients.hpp, docs/adr/0043-gradients-that-are-freed.md).
#pragma once

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

/// Takes those that tasks of `graph` write out of `costs.static_bytes`. A backward task has those that it and tasks before
/// it write, an update all. A forward task is planned with what is there when backward comes to its layer: it may run
/// again until then, and the first time around little is near that would lack that room.
/// Preconditions: costs of `graph`, of one device and one round, in which they are static.
void free_gradients(const TrainingGraph& graph, CostTable& costs);

/// The same costs with all gradients static.
[[nodiscard]] CostTable with_static_gradients(CostTable costs);

}  // namespace ooc
