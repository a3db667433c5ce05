// Warnings about implausible numbers. A wrong unit (GB for GiB, GFLOP/s for TFLOP/s, MB/s for GB/s)
// leaves a profile valid but makes predictions wrong. Warnings, not errors, since users may invent
// machines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/hardware/profile_provenance.hpp"

namespace ooc {

/// Most multiprocessors that are plausible; the largest device of 2024 has 304.
inline constexpr int kMostMultiprocessors = 1000;

/// Returns a line for each implausible number, with file, place, value and plausible range.
[[nodiscard]] std::vector<std::string> implausible_numbers(
    const std::vector<ProfileNumber>& numbers);

/// What is plausible in place of an implausible number.
struct Slip {
  std::string expected;  ///< plausible range, as a text
  std::string meant;     ///< text probably meant, such as "900 GB/s"; empty: no guess
};
[[nodiscard]] std::optional<Slip> slip_in(const ProfileNumber& number);  ///< unset: plausible, or 0

/// Properties of a GPU generation, over all its chips.
struct Generation {
  std::string_view name;
  int fewest_lanes;      ///< fewest float32 lanes of a multiprocessor
  int most_lanes;        ///< most float32 lanes of a multiprocessor
  int most_tensor_gain;  ///< largest ratio of the peaks of dense 16-bit products and float32
};
/// Returns the generation called `name`, such as "volta"; null if unknown.
[[nodiscard]] const Generation* generation_named(std::string_view name);
/// Returns the fewest and most multiprocessors with which `peak` of float32 means 0.5 to 3 GHz.
[[nodiscard]] std::pair<int, int> multiprocessors_for(const Generation& generation,
                                                      FlopsPerSecond peak);

}  // namespace ooc
