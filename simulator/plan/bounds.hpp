// Lower bounds on the iteration time of any schedule with this task order and budget that only moves
// tensors (docs/model.md, bounds): no recomputation, no compression, no sub-batches.
#pragma once

#include <optional>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

struct LowerBounds {
  Duration compute;  ///< 1: sum of the tasks
  Duration link;     ///< 2: link load
  Duration cut;      ///< 3: per task, out before and in after
  Duration windows;  ///< 4: longest path; = cut when not asked for
  [[nodiscard]] Duration best() const;
};

enum class BoundEffort { kCut, kWindows };

/// `budget` is the whole near-memory budget, static bytes included. None when a task alone does not
/// fit: no schedule exists.
[[nodiscard]] std::optional<LowerBounds> lower_bounds(const TrainingGraph& graph,
                                                      const CostTable& costs, Bytes budget,
                                                      BoundEffort effort);

/// max over tasks of what one task must have resident, plus static bytes: no schedule of whole tasks
/// can run below it.
[[nodiscard]] Bytes smallest_task_budget(const TrainingGraph& graph, const CostTable& costs);

}  // namespace ooc
