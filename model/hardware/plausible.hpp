// Warnings about implausible numbers. A wrong unit (GB for GiB, GFLOP/s for TFLOP/s, MB/s for GB/s)
// leaves a profile valid but makes predictions wrong. These are not errors, for users may invent
// machines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/hardware/profile_provenance.hpp"

namespace ooc {

/// Upper limit of multiprocessors; the largest device of 2024 has 304.
inline constexpr int kMostMultiprocessors = 1000;

/// Returns a line for each implausible number: file, place, value, plausible range.
[[nodiscard]] std::vector<std::string> implausible_numbers(
    const std::vector<ProfileNumber>& numbers);

/// Plausible range of a number, and the text probably meant ("900 GB/s"; empty: no guess).
struct Slip {
  std::string expected;
  std::string meant;
};
[[nodiscard]] std::optional<Slip> slip_in(const ProfileNumber& number);  ///< unset: plausible

/// Multiprocessors of a GPU generation, over all its chips.
struct Generation {
  std::string_view name;
  int fewest_lanes;  ///< float32 lanes of a multiprocessor
  int most_lanes;
  int most_tensor_gain;  ///< rate of dense 16-bit products / rate of float32
};
/// Returns the generation, such as "volta"; null if unknown.
[[nodiscard]] const Generation* generation_named(std::string_view name);
/// Returns the fewest and the most multiprocessors that reach the float32 peak at 0.5 to 3 GHz.
[[nodiscard]] std::pair<int, int> multiprocessors_for(const Generation& generation,
                                                      FlopsPerSecond peak);

}  // namespace ooc
