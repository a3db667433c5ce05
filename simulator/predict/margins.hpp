// Margins in GPU memory. Plans fill memory to the byte. A caching allocator cannot hand out all of
// it, so users leave a margin (docs/notebook/0051-margins-of-caching-allocators.md).
#pragma once

#include "simulator/engine/simulate.hpp"
#include "simulator/predict/scheduled_case.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

/// Result that a plan under a caching allocator must beat to be of interest.
struct ToBeat {
  std::optional<Duration> time = {};  ///< time with other algorithms; unset: none
  bool by_sizes = false;              ///< true: only plans for less than all of memory count
};

/// Returns the run of the schedule's plan. Under a caching allocator also plans for smaller budgets, down to two
/// thirds, are run and the fastest that runs is returned. If none runs, the plan for the whole budget is returned as it
/// is. OutOfMemory if no plan exists. Unset: no plan is faster than `to_beat`, or by_sizes is set and none runs.
[[nodiscard]] std::optional<CaseRun> plan_with_margins(const Case& which, const Schedule& schedule,
                                                       ToBeat to_beat, SimulationBuffers& buffers);

}  // namespace ooc
