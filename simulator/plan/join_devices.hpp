// From the plans of single devices to the plan of them all (model/rewrite/data_parallel.hpp): each one's
// steps on its own queues, the exchange of gradients between their backward passes and their updates.
#pragma once

#include <span>

#include "model/rewrite/data_parallel.hpp"
#include "simulator/plan/bounds.hpp"
#include "simulator/plan/plan.hpp"

namespace ooc {

enum class Exchange {
  kEnd,      ///< when the backward pass has ended on a device
  kOverlap,  ///< piece by piece, as soon as the backward pass has completed it
};

/// The plan of one device, with what it is about.
struct DevicePlan {
  const Plan& plan;
  const TrainingGraph& graph;
  const CostTable& costs;
};

/// `all` with its transfers. Sound if the plans are, and runs in the memory that they run in: the exchange
/// moves static bytes only.
[[nodiscard]] Plan join_devices(std::span<const DevicePlan> devices, const DataParallel& all,
                                Exchange exchange);

/// What an exchange at the end adds to any lower bound of the first device's iteration; 0 for one that overlaps.
[[nodiscard]] Duration exchange_bound(const DataParallel& all, Exchange exchange);
/// A lower bound of the iteration by itself: the first piece, then all that is fetched. `first`: the pressure
/// on the first device, whose share is the largest.
[[nodiscard]] Duration fetch_bound(const DataParallel& all, const MemoryPressure& first);

}  // namespace ooc
