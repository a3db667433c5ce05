// `calibrate --from-nvbandwidth FILE --like PROFILE`: link of a machine from the output of NVIDIA's
// `nvbandwidth -j`. No nvcc is needed.
#pragma once

#include "cli/command.hpp"

namespace ooc {

/// Returns the exit code. Precondition: --from-nvbandwidth is given.
[[nodiscard]] int run_from_nvbandwidth(const Arguments& arguments);

}  // namespace ooc
