// `calibrate --from-nvbandwidth FILE --like PROFILE`: the link of a machine from what NVIDIA's nvbandwidth printed with -j,
// for those who have its output and no nvcc.
#pragma once

#include "cli/command.hpp"

namespace ooc {

/// Precondition: --from-nvbandwidth is given. The exit code.
[[nodiscard]] int run_from_nvbandwidth(const Arguments& arguments);

}  // namespace ooc
