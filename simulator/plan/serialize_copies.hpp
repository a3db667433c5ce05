// Pageable copies are staged through the host by the thread that also launches kernels, so they do not
// overlap with compute (docs/model.md, 2). This turns any plan into that behaviour.
#pragma once

#include "simulator/plan/plan.hpp"

namespace ooc {

/// The same plan in which, per device, a copy waits for the compute step before it in sequence order and
/// the compute step after it waits for the copy. Waits only ever point back in sequence, so a plan whose
/// waits did so too cannot come to wait on itself.
[[nodiscard]] Plan serialize_copies(const Plan& plan);

}  // namespace ooc
