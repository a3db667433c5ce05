// A slip of a unit (GB for GiB, GFLOP/s for TFLOP/s, MB/s for GB/s) gives a valid profile and a wrong
// prediction. What no machine is likely to have is remarked on; it is no error, since machines are invented
// to ask what they would do.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/hardware/profile_provenance.hpp"

namespace ooc {

/// A device of 2024 has 304.
inline constexpr int kMostMultiprocessors = 1000;

/// One line for each number out of its range: file, place, what is there, what is plausible.
[[nodiscard]] std::vector<std::string> implausible_numbers(
    const std::vector<ProfileNumber>& numbers);

/// What is plausible in the place of one number, and what its writer may have meant ("" for no idea).
struct Slip {
  std::string expected;
  std::string meant;
};
[[nodiscard]] std::optional<Slip> slip_in(const ProfileNumber& number);

/// What is known of a generation's multiprocessors, whichever chip.
struct Generation {
  std::string_view name;
  int fewest_lanes;  ///< of float32, a multiprocessor
  int most_lanes;
  int most_tensor_gain;  ///< dense rate of 16-bit products / rate of float32
};
/// None for one that is not known here.
[[nodiscard]] const Generation* generation_named(std::string_view name);
/// The fewest and the most multiprocessors that reach a float32 peak at 0.5 to 3 GHz.
[[nodiscard]] std::pair<int, int> multiprocessors_for(const Generation& generation,
                                                      FlopsPerSecond peak);

}  // namespace ooc
