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

/// Returns a plan of `all`, exchange included. It is valid if all device plans are, and needs no
/// more memory: the exchange moves static bytes only.
[[nodiscard]] Plan join_devices(std::span<const DevicePlan> devices, const Iteration& all,
                                Exchange exchange);

/// Returns a lower bound on the iteration: compute before the exchange, then the fetches of all pieces. One device: 0.
/// `first`: memory pressure on the first device, whose share of the batch is the largest.
[[nodiscard]] Duration exchange_bound(const Iteration& all, Exchange exchange,
                                      const MemoryPressure& first);

// Joins plans of micro-batches to the plan of an iteration (model/rewrite/iteration.hpp): one plan
// repeated, then that of the last micro-batch. Updates remain only in the last.

/// Plan of a micro-batch with its costs.
struct RoundPlan {
  const Plan& plan;
  const CostTable& costs;
};

/// Returns the iteration's plan: `full` repeated, then `last`. `graph`: of a micro-batch on one device. The result is
/// valid if both plans are, and needs no more memory: micro-batches do not overlap.
[[nodiscard]] Plan join_rounds(const TrainingGraph& graph, const RoundPlan& full,
                               const RoundPlan& last, const Iteration& all);

}  // namespace ooc
