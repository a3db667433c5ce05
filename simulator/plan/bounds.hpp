// Lower bounds on the iteration time of any schedule with this task order and budget that only
// moves tensors: no recomputation, compression or gradient accumulation (docs/model.md, bounds).
//
// Two halves, since sweeps mostly change the link: what memory forces (MemoryPressure: graph, task
// times, sizes, budget), and what that costs on a link.
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
  Duration compute;  ///< bound 1: sum of the tasks' times
  Duration link;     ///< bound 2: time of all forced copies on the link
  Duration cut;      ///< bound 3: for each task, forced copies out before and in after
  Duration windows;  ///< bound 4: longest path; equals cut if not computed
  [[nodiscard]] Duration best() const;
  void raise(Duration bound);  ///< raises all bounds but `compute` to `bound`
};

/// Returns the bounds. `budget`: GPU memory, static bytes included. Unset: a single task does not
/// fit, so no schedule exists.
[[nodiscard]] std::optional<LowerBounds> lower_bounds(const TrainingGraph& graph,
                                                      const CostTable& costs, Bytes budget);

/// Task during which some data needed before and after it must be in host memory.
struct Cut {
  TaskId task;
  Bytes in;   ///< fewest bytes absent, which must be copied in afterwards
  Bytes out;  ///< bytes of `in` that must be copied out before; host memory has the rest
  Duration defined_from;   ///< compute time up to the end of the first writer of the absent data
  Duration compute_after;  ///< compute time from the latest next use of the absent data on
};

/// Copies that a budget forces, whatever the link. A second call reuses the memory, so sweeps allocate nothing.
struct MemoryPressure {
  bool feasible = true;          ///< true if every task fits alone
  std::vector<Duration> before;  ///< by task: compute time before it, and one entry for the end
  std::vector<Cut> cuts;         ///< in task order
  // Scratch of the two passes.
  std::vector<std::int32_t> previous;
  std::vector<std::int32_t> next;
  std::vector<std::int32_t> touched_by;
  std::vector<std::int32_t> next_use;
};

/// Fills `pressure` in time linear in tasks and uses.
void find_memory_pressure(const TrainingGraph& graph, const CostTable& costs, Bytes budget,
                          MemoryPressure& pressure);

/// Returns bounds 1 to 3 in time linear in the cuts, without allocation. Precondition: pressure.feasible.
[[nodiscard]] LowerBounds bound_cuts(const MemoryPressure& pressure,
                                     const TransferCosts& transfers);

/// Returns bound 4 over all pairs of tasks, up to `max_positions` tasks. For more tasks, over a
/// subset of half that size: local maxima of pressure, and tasks at equal distances. The bound is
/// then valid but may be below bound 3. Precondition: pressure.feasible.
[[nodiscard]] Duration bound_windows(const TrainingGraph& graph, const CostTable& costs,
                                     const MemoryPressure& pressure,
                                     std::size_t max_positions = 4096);

/// Rates such that the link needs at least out / to_far + in / to_near for any two amounts.
struct JointSpeed {
  BytesPerSecond to_far = kInfiniteRate;
  BytesPerSecond to_near = kInfiniteRate;
  /// Returns out / to_far + in / to_near, rounded up once.
  [[nodiscard]] Duration time(Bytes out, Bytes in) const;
};

/// Highest rates of the link: to far, to near, and both together.
struct LinkSpeed {
  BytesPerSecond to_far;
  BytesPerSecond to_near;
  std::array<JointSpeed, 2> together = {};

  /// True if the directions do not slow each other down.
  [[nodiscard]] bool independent() const;
  [[nodiscard]] Duration time_together(Bytes out, Bytes in) const {
    return std::max(together[0].time(out, in), together[1].time(out, in));
  }
};
[[nodiscard]] LinkSpeed fastest_link(const TransferCosts& transfers);

}  // namespace ooc
