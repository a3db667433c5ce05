// Lower bounds on the iteration time of any plan with this task order that moves tensors and reruns
// forward tasks: no compression, other micro-batches or pages (docs/model.md, bounds).
#pragma once

#include <optional>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

struct MixedBounds {
  Duration compute;    ///< sum over tasks of the time of the fastest algorithm that fits alone
  Duration divisible;  ///< bound A: parts of tensors may leave or be recomputed
  Duration whole;      ///< bound B: whole tensors; equals divisible if not computed
  [[nodiscard]] Duration best() const;
};

enum class MixedEffort {
  kDivisible,  ///< only bound A
  kWhole,      ///< also bound B, at the tasks with the highest bound A; takes tens of ms
};

/// Returns the bounds for plans with any algorithms. `budget`: GPU memory, static bytes included.
/// Unset: a single task does not fit with any algorithm, so no plan exists.
[[nodiscard]] std::optional<MixedBounds> bound_mixed(const TrainingGraph& graph,
                                                     const CostTable& costs, Bytes budget,
                                                     MixedEffort effort);

}  // namespace ooc
