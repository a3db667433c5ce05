// The copies and far updates of state, put into the finished plan of any schedule that books memory by task
// (docs/notebook/0028-state-that-moves.md).
#pragma once

#include "model/rewrite/state.hpp"
#include "simulator/plan/plan.hpp"

namespace ooc {

/// `plan`: of MovingState::planned with planned_costs(), on one device, every wait of which points back in sequence. The
/// result is about MovingState::graph; `costs` are its own. Compute steps stay as they are, in their order, with the
/// workspace that they need themselves.
///
/// Copies in of weights come right before the copies in of activations that the same compute needs, so each of the link's
/// queues stays sorted by who needs what first; copies out follow the last writer. What far updates write comes back
/// behind everything else.
///
/// Why it cannot get stuck: a copy in takes the memory that is booked from the compute on behind which it waits, and a
/// gradient's block that of its writers. So for the first compute that has not started, all that is held is booked
/// for it or waits for a copy out; and all waits point back in sequence (docs/architecture.md, 4).
[[nodiscard]] Plan weave_state(const Plan& plan, const MovingState& state, const CostTable& costs);

}  // namespace ooc
