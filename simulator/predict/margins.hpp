// How much of near memory a plan fills. Plans fill it to the byte; what a caching allocator cannot hand out then blocks
// them, and users leave a margin (docs/notebook/0051-margins-of-caching-allocators.md).
#pragma once

#include "simulator/engine/simulate.hpp"
#include "simulator/predict/case.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

/// The schedule's plan for such a memory, not simulated yet.
[[nodiscard]] CaseRun run_within(const Case& which, const Schedule& schedule, Bytes budget);

/// The schedule's plan for this case's memory; under a caching allocator the quickest that runs of those for less, down to
/// two thirds, else of those that run at all. A plan that no margin helps stays what it was. What cannot be planned is
/// OutOfMemory. Unset: no plan for less is as quick as `to_beat`, or none runs and only those count.
[[nodiscard]] std::optional<CaseRun> plan_with_margins(const Case& which, const Schedule& schedule,
                                                       ToBeat to_beat, SimulationBuffers& buffers);

}  // namespace ooc
