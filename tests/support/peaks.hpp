// What every run must keep: memory by category adds up to memory, at the peaks and at any other time.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>

#include "simulator/summary/memory_use.hpp"

namespace ooc::test {

inline bool is_sound(const BytesByCategory& held) {
  return std::all_of(held.bytes.begin(), held.bytes.end(),
                     [](Bytes bytes) { return bytes >= Bytes(0); });
}

inline Bytes most_of(const std::vector<CategorySample>& samples) {
  Bytes most;
  for (const CategorySample& sample : samples) {
    if (!is_sound(sample.held)) REQUIRE_MESSAGE(false, "less than nothing is held");
    most = std::max(most, sample.held.total());
  }
  return most;
}

/// At the peaks. Of the ideal allocator: it holds nothing that is not used.
inline void require_peaks_add_up(const MemoryQuery& query, const TrainingGraph& graph,
                                 const CostTable& costs) {
  const BytesByCategory near = peak_near_by_category(query, graph);
  REQUIRE(is_sound(near));
  REQUIRE(near.total() == query.timeline.peak_near);
  REQUIRE(near[MemoryCategory::kUnused] == Bytes(0));
  const BytesByCategory far = peak_far_by_category(query.plan, graph, costs, query.timeline);
  REQUIRE(is_sound(far));
  const Bytes most_far = peak_far_bytes(query.plan, graph, costs, query.timeline);
  REQUIRE(far.total() == most_far);
  // As sweeps have it, from what no times change.
  const std::optional<FarUse> use = far_use(query.plan, graph, costs);
  if (use) REQUIRE(peak_far_bytes(*use, query.timeline) == most_far);
}

/// And at any other time.
inline void require_categories_add_up(const MemoryQuery& query, const TrainingGraph& graph,
                                      const CostTable& costs) {
  require_peaks_add_up(query, graph, costs);
  Bytes most;
  for (int device = 0; device < query.plan.devices; ++device) {
    most = std::max(most, most_of(near_categories_over_time(
                              {query.plan, query.timeline, query.budget, device}, graph)));
  }
  REQUIRE(most == query.timeline.peak_near);
  const auto far = far_categories_over_time(query.plan, graph, costs, query.timeline);
  REQUIRE(most_of(far) == peak_far_bytes(query.plan, graph, costs, query.timeline));
  REQUIRE((far.empty() || far.back().held == BytesByCategory{}));
}

}  // namespace ooc::test
