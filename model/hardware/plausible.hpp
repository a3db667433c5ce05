// A slip of a unit (GB for GiB, GFLOP/s for TFLOP/s, MB/s for GB/s) gives a valid profile and a wrong
// prediction. What no machine is likely to have is remarked on; it is no error, since machines are invented
// to ask what they would do.
#pragma once

#include <string>
#include <vector>

#include "model/hardware/profile_provenance.hpp"

namespace ooc {

/// One line for each number out of its range: file, place, what is there, what is plausible.
[[nodiscard]] std::vector<std::string> implausible_numbers(
    const std::vector<ProfileNumber>& numbers);

}  // namespace ooc
