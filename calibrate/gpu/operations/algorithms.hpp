// Which of the library's algorithms a convolution of compute=real uses: the fastest of those whose workspace fits,
// found by running them on the plan's own buffers before anything is measured, as frameworks do.
#pragma once

#include <optional>

#include "calibrate/gpu/libraries.hpp"
#include "calibrate/gpu/operations/keys.hpp"

namespace ooc::gpu {

// None where no algorithm does this shape. What the process has found once for a shape, a pass and a room it
// does not try again.
std::optional<ConvolutionAlgorithm> fastest_algorithm(const ConvolutionShape& shape, Pass pass,
                                                      const ConvolutionBuffers& buffers,
                                                      const Workspace& workspace);

// Runs it once, so that handles are made and code is loaded.
void try_out(const Runner& run);

}  // namespace ooc::gpu
