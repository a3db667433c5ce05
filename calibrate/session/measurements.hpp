// Samples by what they measure: the bridge from requests and their keys to the fits.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/fit/compute_fit.hpp"
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
/// Matrix products of one element type over FLOPs.
[[nodiscard]] std::vector<WorkTimes> gemm_times(const SampleSet& set, std::string_view dtype);
/// Element-wise, norm and pool kernels over the bytes that they move at least.
[[nodiscard]] std::vector<WorkTimes> kernel_times(const SampleSet& set);

struct LayerTimes {
  std::string dtype;
  std::string pass;
  double flops = 0;
  std::string algorithm;  ///< the fastest
  long long workspace_bytes = 0;
  std::vector<double> times_ns;
  std::string text;  ///< the shape, for reports
};
/// FLOP of the convolution that a "layer" request describes; 0 where it describes none.
[[nodiscard]] double layer_flops(const KeyValues& keys);
/// Convolutions with their fastest algorithm each.
[[nodiscard]] std::vector<LayerTimes> layer_times(const SampleSet& set);

/// The highest generation that was seen on the link, after copies or at the start.
struct LinkState {
  int generation = 0;
  int width = 0;
};
[[nodiscard]] std::optional<LinkState> link_state(const SampleSet& set);

}  // namespace ooc
