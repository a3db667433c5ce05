// Lower bounds on the iteration time of any schedule with this task order and budget that only moves
// tensors (docs/model.md, bounds): no recomputation, no compression, no sub-batches.
//
// Two halves, because a sweep changes the link far more often than anything else: what memory forces
// (MemoryPressure: graph, task times, sizes, budget) and what that costs on a link.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

struct LowerBounds {
  Duration compute;  ///< 1: sum of the tasks
  Duration link;     ///< 2: link load
  Duration cut;      ///< 3: per task, out before and in after
  Duration windows;  ///< 4: longest path; = cut when not asked for
  [[nodiscard]] Duration best() const;
  void add(Duration time);     ///< to all of them
  void raise(Duration bound);  ///< all but `compute`: there is another one of that height
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

/// A task during which something that is needed before and after it cannot be near.
struct Cut {
  TaskId task;
  Bytes in;               ///< at least so much must be absent: copied in afterwards
  Bytes out;              ///< and so much of it copied out before (the rest is clean in far memory)
  Duration defined_from;  ///< compute up to the end of the first task that writes any of it
  Duration compute_after;  ///< compute from the latest next use of any of it on
};

/// What a budget forces, whatever the link. Its vectors are kept when it is filled again: a sweep
/// allocates nothing.
struct MemoryPressure {
  bool feasible = true;          ///< every task alone fits
  std::vector<Duration> before;  ///< by task, and one more: compute before it
  std::vector<Cut> cuts;         ///< in task order
  // Scratch of the two walks.
  std::vector<std::int32_t> previous;
  std::vector<std::int32_t> next;
  std::vector<std::int32_t> touched_by;
  std::vector<std::int32_t> next_use;
};

/// Linear in tasks and uses.
void find_memory_pressure(const TrainingGraph& graph, const CostTable& costs, Bytes budget,
                          MemoryPressure& pressure);

/// Bounds 1 to 3: linear in the cuts, no allocation. `devices`: that share the link, each under the same
/// pressure. Precondition: pressure.feasible.
[[nodiscard]] LowerBounds bound_cuts(const MemoryPressure& pressure, const TransferCosts& transfers,
                                     int devices = 1);

/// Bound 4 over all pairs of tasks up to `max_positions` tasks, else over a subset of half that size:
/// the local maxima of pressure that there is room for, and tasks at equal distances. Still valid then,
/// but no longer certain to dominate bound 3. Precondition: pressure.feasible.
[[nodiscard]] Duration bound_windows(const TrainingGraph& graph, const CostTable& costs,
                                     const MemoryPressure& pressure,
                                     std::size_t max_positions = 4096);

/// A pair of rates with which no link that is meant takes less than out / to_far + in / to_near.
struct JointSpeed {
  BytesPerSecond to_far = kInfiniteRate;
  BytesPerSecond to_near = kInfiniteRate;
  /// That sum, rounded up once.
  [[nodiscard]] Duration time(Bytes out, Bytes in) const;
};

/// The fastest that bytes can move: to far, to near, and in both directions together.
struct LinkSpeed {
  BytesPerSecond to_far;
  BytesPerSecond to_near;
  std::array<JointSpeed, 2> together = {};

  /// Neither direction takes anything from the other.
  [[nodiscard]] bool independent() const;
  [[nodiscard]] Duration time_together(Bytes out, Bytes in) const {
    return std::max(together[0].time(out, in), together[1].time(out, in));
  }
};
[[nodiscard]] LinkSpeed fastest_link(const TransferCosts& transfers);

}  // namespace ooc
