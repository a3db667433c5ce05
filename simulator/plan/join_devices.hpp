// Joins the plans of single devices (model/rewrite/data_parallel.hpp): each device's steps on its
// own queues, and the exchange of gradients between backward passes and updates.
#pragma once

#include <span>

#include "model/rewrite/iteration.hpp"
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
  const Iteration& of;
};

/// `all` with its transfers. Sound if the plans are, and runs in the memory that they run in: the exchange
/// moves static bytes only.
[[nodiscard]] Plan join_devices(std::span<const DevicePlan> devices, const Iteration& all,
                                Exchange exchange);

/// What an exchange at the end adds to any lower bound of the first device's iteration; 0 for one that overlaps.
[[nodiscard]] Duration exchange_bound(const Iteration& all, Exchange exchange);
/// A lower bound of the iteration by itself: the first piece, then all that is fetched. `first`: the pressure
/// on the first device, whose share is the largest.
[[nodiscard]] Duration fetch_bound(const Iteration& all, const MemoryPressure& first);

// Joins plans of micro-batches to the plan of an iteration (model/rewrite/iteration.hpp): one plan
// repeated, then that of the last micro-batch. Updates remain only in the last.

/// Plan of a micro-batch with its costs.
struct RoundPlan {
  const Plan& plan;
  const CostTable& costs;
};

/// `graph`: of a micro-batch on one device. The result is valid if both plans are, and needs their
/// memory: a micro-batch begins when the one before has ended and freed all its blocks.
[[nodiscard]] Plan join_rounds(const TrainingGraph& graph, const RoundPlan& full,
                               const RoundPlan& last, const Iteration& all);

}  // namespace ooc
