// Inserts copies and far updates (updates in host memory) of model states into the finished plan of
// a schedule that books memory by task (docs/notebook/0028-state-that-moves.md).
#pragma once

#include "model/rewrite/state.hpp"
#include "simulator/plan/plan.hpp"

namespace ooc {

/// Returns a plan of state.graph, whose costs are `costs`. `plan`: of state.planned with planned_costs(), on one
/// device, all waits pointing back in sequence. Compute steps keep their order and their own workspace.
///
/// Copies in of weights stand right before the copies in of activations for the same compute step, so each queue stays
/// sorted by first need. Copies out follow the last writer. Results of far updates come back at the end.
///
/// Why it cannot block: a copy in takes memory booked from the compute step after which it waits; a gradient's block
/// takes memory booked by its writers. So all memory held when the first unstarted compute step waits is booked for it
/// or waits for a copy out. All waits point back in sequence (docs/architecture.md, 4).
[[nodiscard]] Plan weave_state(const Plan& plan, const MovingState& state, const CostTable& costs);

}  // namespace ooc
