// How much of the forward pass is dropped, for the schedules that compute it again: nothing where
// everything fits, else as few segments as suffice.
#pragma once

#include <vector>

#include "simulator/schedules/run_list.hpp"

namespace ooc {

/// What may be dropped at most, and how --recompute computes it again: all segments; and, where that is
/// something else, only those that need no more than the largest task does for that (computing one
/// again may be what makes the peak).
[[nodiscard]] std::vector<std::vector<SegmentUse>> ways_to_drop(const PlanningProblem& problem,
                                                                const Segments& segments);

/// Segments that may be dropped by time per byte that they give back, cheapest first; of equals the
/// first to run.
[[nodiscard]] std::vector<std::size_t> cheapest_first(const Segments& segments,
                                                      const std::vector<SegmentUse>& most);

/// The first `count` of `order` dropped as `most` says, the others kept.
[[nodiscard]] std::vector<SegmentUse> drop_first(const std::vector<std::size_t>& order,
                                                 std::size_t count,
                                                 const std::vector<SegmentUse>& most);

[[nodiscard]] bool fits(const PlanningProblem& problem, const Footprint& footprint);

/// The fewest segments that suffice, those first that give back the most bytes for their time.
/// Precondition: dropping none does not fit, dropping as `most` says does.
[[nodiscard]] RunList drop_fewest(const PlanningProblem& problem, const Segments& segments,
                                  const std::vector<SegmentUse>& most);

/// The one that asks for less; of equals the first.
[[nodiscard]] OutOfMemory lesser_shortage(OutOfMemory first, OutOfMemory second);

}  // namespace ooc
