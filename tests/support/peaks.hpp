// Law of every run: memory by category adds up to memory, at the peaks and at any other time.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>

#include "simulator/summary/memory_use.hpp"

namespace ooc::test {

inline bool is_sound(const BytesByCategory& held) {
  return std::all_of(held.bytes.begin(), held.bytes.end(),
                     [](Bytes bytes) { return bytes >= Bytes(0); });
}

inline Bytes most_of(const std::vector<MemorySample>& samples) {
  Bytes most;
  for (const MemorySample& sample : samples) {
    if (!is_sound(sample.held)) REQUIRE_MESSAGE(false, "less than nothing is held");
    most = std::max(most, sample.held.total());
  }
  return most;
}

/// Checks the peaks. Only for the ideal allocator, which holds nothing unused.
inline void require_peaks_add_up(const Plan& plan, const TrainingGraph& graph,
                                 const CostTable& costs, const Timeline& timeline) {
  const BytesByCategory near = near_memory_at_peak(plan, graph, timeline).held;
  REQUIRE(is_sound(near));
  REQUIRE(near.total() == timeline.peak_near);
  REQUIRE(near[MemoryCategory::kUnused] == Bytes(0));
  const BytesByCategory far = peak_far_by_category(plan, graph, costs, timeline);
  REQUIRE(is_sound(far));
  // As sweeps have it, from what no times change.
  const std::optional<FarUse> use = far_use(plan, graph, costs);
  if (use) REQUIRE(peak_far_bytes(*use, timeline) == far.total());
}

/// Checks all other times.
inline void require_categories_add_up(const Plan& plan, const TrainingGraph& graph,
                                      const CostTable& costs, const Timeline& timeline) {
  require_peaks_add_up(plan, graph, costs, timeline);
  REQUIRE(most_of(near_memory_over_time(plan, graph, timeline)) == timeline.peak_near);
  const auto far = far_memory_over_time(plan, graph, costs, timeline);
  REQUIRE(most_of(far) == peak_far_by_category(plan, graph, costs, timeline).total());
  REQUIRE((far.empty() || far.back().held == BytesByCategory{}));
}

}  // namespace ooc::test
