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
#include "simulator/plan/tensor_ring.hpp"

namespace ooc {

struct LowerBounds {
  Duration compute;  ///< bound 1: sum of the tasks' times
  Duration link;     ///< bound 2: longest time on the link of the copies that one cut forces
  Duration cut;      ///< bound 3: as 2, with copies out before the cut's task and in after it
  Duration windows;  ///< bound 4: over pairs of cuts (bound_windows); equals cut if not computed
  [[nodiscard]] Duration best() const;
  void raise(Duration bound);  ///< raises all bounds but `compute` to `bound`
};

/// Returns bounds 1 to 3. `budget`: GPU memory, static bytes included. Unset: a single task does not
/// fit, so no schedule exists.
[[nodiscard]] std::optional<LowerBounds> lower_bounds(const TrainingGraph& graph,
                                                      const CostTable& costs, Bytes budget);

/// Task during which some tensors that are used before and after must be absent from GPU memory.
struct Cut {
  TaskId task;
  Bytes in;   ///< fewest absent bytes; all are copied in after the task
  Bytes out;  ///< part of `in` copied out before the task; host memory has the rest (inputs)
  Duration defined_from;   ///< compute time before the first tensor that may be absent is written
  Duration compute_after;  ///< compute time from the latest next use of an absent tensor to the end
};

/// Copies that a budget forces, whatever the link. Sweeps fill one object again and again, without allocation.
struct MemoryPressure {
  bool feasible = true;          ///< true if each task fits alone
  std::vector<Duration> before;  ///< by task: compute time before it; then the total
  std::vector<Cut> cuts;         ///< for each task with absent tensors, in order
  // Scratch memory of find_memory_pressure().
  TensorRing live;
  std::vector<std::int32_t> touched_by;
  std::vector<std::int32_t> next_use;
};

/// Fills `pressure`. `budget`: GPU memory, static bytes included. Time is linear in tasks and uses of tensors.
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

/// Rates for a lower bound: copies of `out` bytes to host memory and `in` bytes to GPU memory, together, take at least
/// out / to_far + in / to_near.
struct JointSpeed {
  BytesPerSecond to_far = kInfiniteRate;
  BytesPerSecond to_near = kInfiniteRate;
  /// Returns out / to_far + in / to_near, rounded up once.
  [[nodiscard]] Duration time(Bytes out, Bytes in) const;
};

/// Highest rates of the link over all tensors: of each direction alone, and of both together.
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

/// Returns ns per byte; 0 for an infinite rate.
[[nodiscard]] inline double ns_per_byte(BytesPerSecond rate) {
  return rate == kInfiniteRate ? 0.0 : 1e9 / static_cast<double>(rate.count());
}

}  // namespace ooc
