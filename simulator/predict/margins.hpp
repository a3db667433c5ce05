// Margins in GPU memory. Plans fill it to the byte; a caching allocator then blocks on what it
// holds back, so users leave a margin (docs/notebook/0051-margins-of-caching-allocators.md).
#pragma once

#include "simulator/engine/simulate.hpp"
#include "simulator/predict/scheduled_case.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

/// What a plan under a caching allocator competes with.
struct ToBeat {
  std::optional<Duration> time = {};  ///< of the same job with other algorithms
  bool by_sizes = false;              ///< plans for all of memory do not count
};

/// Returns the schedule's plan for all memory. Under a caching allocator: the fastest that runs among plans for less,
/// down to two thirds, else among all that run. A plan that no margin helps is returned unchanged. What cannot be
/// planned is OutOfMemory. Unset: no plan for less beats `to_beat`, or none runs and only those count.
[[nodiscard]] std::optional<CaseRun> plan_with_margins(const Case& which, const Schedule& schedule,
                                                       ToBeat to_beat, SimulationBuffers& buffers);

}  // namespace ooc
