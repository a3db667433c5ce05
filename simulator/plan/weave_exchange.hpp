// Adds the exchange of gradients to a device's plan, between its backward pass and its updates
// (model/rewrite/data_parallel.hpp).
#pragma once

#include "model/rewrite/iteration.hpp"
#include "simulator/plan/bounds.hpp"
#include "simulator/plan/plan.hpp"

namespace ooc {

enum class Exchange {
  kEnd,      ///< after the device's backward pass
  kOverlap,  ///< piece by piece, as backward completes them
};

/// Returns a plan of `all`. `plan`: of its share. The result is valid if that plan is, and needs no more memory: the
/// exchange moves static bytes only.
[[nodiscard]] Plan weave_exchange(const Plan& plan, const Iteration& all, Exchange exchange);

/// Returns a lower bound on the iteration: compute before the exchange, then the fetches of all pieces. One device: 0.
/// `share`: memory pressure on the device.
[[nodiscard]] Duration exchange_bound(const Iteration& all, Exchange exchange,
                                      const MemoryPressure& share);

}  // namespace ooc
