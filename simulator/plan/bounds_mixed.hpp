// Lower bounds on the iteration time of any plan that runs these tasks in this order, moves tensors and runs forward
// tasks again (docs/model.md, bounds): no compression, no other sub-batches, no pages.
#pragma once

#include <optional>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

struct MixedBounds {
  Duration compute;    ///< sum of each task's fastest way that fits alone
  Duration divisible;  ///< A: parts of tensors may leave, or be computed again
  Duration whole;      ///< B: whole tensors; = divisible where not asked for
  [[nodiscard]] Duration best() const;
};

enum class MixedEffort {
  kDivisible,
  kWhole,  ///< tens of milliseconds: the cuts that are highest as A have them
};

/// `budget` is the whole near-memory budget, static bytes included. None when a task alone does not fit: there is no
/// plan. `which`: the alternatives that the schedules use.
[[nodiscard]] std::optional<MixedBounds> bound_mixed(const TrainingGraph& graph,
                                                     const CostTable& costs, Bytes budget,
                                                     MixedEffort effort);

}  // namespace ooc
