// How much of the forward pass is dropped, for the schedules that compute it again: nothing where
// everything fits, else as few segments as suffice.
#pragma once

#include <vector>

#include "simulator/schedules/run_list.hpp"

namespace ooc {

/// What --recompute makes of every segment, if it is dropped.
[[nodiscard]] std::vector<SegmentUse> uses_when_dropped(const PlanningProblem& problem,
                                                        const Segments& segments);

[[nodiscard]] bool fits(const PlanningProblem& problem, const Footprint& footprint);

/// The fewest segments that suffice, those first that give back the most bytes for their time.
/// Precondition: dropping none does not fit, dropping all does.
[[nodiscard]] RunList drop_fewest(const PlanningProblem& problem, const Segments& segments,
                                  const std::vector<SegmentUse>& all);

/// The one that asks for less; of equals the first.
[[nodiscard]] OutOfMemory lesser_shortage(OutOfMemory first, OutOfMemory second);

}  // namespace ooc
