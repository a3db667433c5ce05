// The number of segments is found by bisection between none, which does not fit, and the most, which
// does. Dropping one more need not take less memory at every position (what it is computed from
// stays longer), so the number found is one that fits while one less does not, not always the least.
#include "simulator/schedules/recompute_choice.hpp"

#include <algorithm>
#include <utility>

#include "simulator/schedules/own_options.hpp"

namespace ooc {
namespace {

SegmentUse use_of(const PlanningProblem& problem, const Segments& segments,
                  const RecomputeSegment& segment) {
  switch (problem.options.own->recomputation) {
    case Recomputation::kSpeed:
      return SegmentUse::kOnce;
    case Recomputation::kMemory:
      return SegmentUse::kForEachUse;
    case Recomputation::kCost:
      return segment.kept_at_once <= segments.largest_working_set ? SegmentUse::kOnce
                                                                  : SegmentUse::kForEachUse;
  }
  return SegmentUse::kOnce;
}

}  // namespace

std::vector<std::size_t> cheapest_first(const Segments& segments,
                                        const std::vector<SegmentUse>& most) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < most.size(); ++i) {
    if (most[i] != SegmentUse::kKept) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const RecomputeSegment& left = segments.list[a];
    const RecomputeSegment& right = segments.list[b];
    return Int128{left.time.count()} * right.freed.count() <
           Int128{right.time.count()} * left.freed.count();
  });
  return order;
}

std::vector<SegmentUse> drop_first(const std::vector<std::size_t>& order, std::size_t count,
                                   const std::vector<SegmentUse>& most) {
  std::vector<SegmentUse> uses(most.size(), SegmentUse::kKept);
  for (std::size_t i = 0; i < count; ++i) uses[order[i]] = most[order[i]];
  return uses;
}

std::vector<std::vector<SegmentUse>> ways_to_drop(const PlanningProblem& problem,
                                                  const Segments& segments) {
  std::vector<SegmentUse> all;
  std::vector<SegmentUse> modest;
  for (const RecomputeSegment& segment : segments.list) {
    all.push_back(use_of(problem, segments, segment));
    const bool within = segment.kept_at_once <= segments.largest_working_set;
    modest.push_back(within ? all.back() : SegmentUse::kKept);
  }
  if (modest == all) return {std::move(all)};
  return {std::move(all), std::move(modest)};
}

bool fits(const PlanningProblem& problem, const Footprint& footprint) {
  const Bytes available = problem.budget - problem.costs.static_bytes;
  const std::vector<Bytes> sums = footprint.bytes();
  return available.count() >= 0 &&
         std::all_of(sums.begin(), sums.end(), [&](Bytes sum) { return sum <= available; });
}

RunList drop_fewest(const PlanningProblem& problem, const Segments& segments,
                    const std::vector<SegmentUse>& most) {
  const std::vector<std::size_t> order = cheapest_first(segments, most);
  const auto drop = [&](std::size_t count) {
    return list_runs(problem, segments, drop_first(order, count, most));
  };
  std::size_t low = 0;
  std::size_t high = order.size();
  while (low + 1 < high) {
    const std::size_t middle = low + (high - low) / 2;
    (fits(problem, footprint_of(problem, drop(middle))) ? high : low) = middle;
  }
  return drop(high);  // made again: two lists at once take twice the memory
}

OutOfMemory lesser_shortage(OutOfMemory first, OutOfMemory second) {
  if (second.smallest_budget < first.smallest_budget) return second;
  return first;
}

}  // namespace ooc
