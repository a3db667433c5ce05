// Joins the plans of single devices (model/rewrite/data_parallel.hpp): each device's steps on its
// own queues, and the exchange of gradients between backward passes and updates.
#pragma once

#include <span>

#include "model/rewrite/data_parallel.hpp"
#include "simulator/plan/bounds.hpp"
#include "simulator/plan/plan.hpp"

namespace ooc {

enum class Exchange {
  kEnd,      ///< after the device's backward pass
  kOverlap,  ///< piece by piece, as backward completes them
};

/// Plan of one device, with its graph and costs.
struct DevicePlan {
  const Plan& plan;
  const TrainingGraph& graph;
  const CostTable& costs;
};

/// `all`: with transfers. The result is valid if all plans are, and needs their memory: the
/// exchange uses only static bytes.
[[nodiscard]] Plan join_devices(std::span<const DevicePlan> devices, const DataParallel& all,
                                Exchange exchange);

/// Returns what an exchange at the end adds to any lower bound on the first device's iteration; 0 for kOverlap.
[[nodiscard]] Duration exchange_bound(const DataParallel& all, Exchange exchange);
/// Returns a lower bound on the iteration: the first piece, then all that is fetched. `first`:
/// pressure on the first device, which has the largest share.
[[nodiscard]] Duration fetch_bound(const DataParallel& all, const MemoryPressure& first);

}  // namespace ooc
