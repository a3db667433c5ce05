// Samples by what they measure: the bridge from requests and their keys to the fits.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/fit/transfer_fit.hpp"
#include "calibrate/session/samples.hpp"

namespace ooc {

inline constexpr std::array kCopyModes{"pinned", "pageable", "unified_prefetch", "unified_fault"};
inline constexpr std::array kDirections{"to_near", "to_far"};

/// The groups of that kind with samples.
[[nodiscard]] std::vector<const SampleGroup*> groups_of(const SampleSet& set,
                                                        std::string_view what);
[[nodiscard]] bool has_value(const SampleGroup& group, std::string_view key,
                             std::string_view value);
[[nodiscard]] Bytes bytes_of_group(const SampleGroup& group);
/// Times above 0 of a metric; empty without.
[[nodiscard]] std::vector<double> times_of(const SampleGroup& group, std::string_view metric);
/// Median of a metric without its outliers; none without samples.
[[nodiscard]] std::optional<double> median_time(const SampleGroup& group, std::string_view metric);

/// Copies between the memories that are near each other: other memory nodes are left out.
[[nodiscard]] std::vector<SizedTimes> copy_times(const SampleSet& set, std::string_view mode,
                                                 std::string_view direction,
                                                 std::string_view metric = "time");
/// A metric of some kind by size, e.g. `pin`, "register".
[[nodiscard]] std::vector<SizedTimes> times_by_size(const SampleSet& set, std::string_view what,
                                                    std::string_view metric);
/// The highest generation that was seen on the link, after copies or at the start.
struct LinkState {
  int generation = 0;
  int width = 0;
};
[[nodiscard]] std::optional<LinkState> link_state(const SampleSet& set);

}  // namespace ooc
