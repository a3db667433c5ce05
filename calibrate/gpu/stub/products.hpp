// Matrix products and convolutions as plain loops in float32, for the stub device's small ones: so that what the
// operations of compute=real ask of a library is seen to be the right thing.
#pragma once

#include "calibrate/gpu/libraries.hpp"

namespace ooc::gpu::stub {

void multiply(const GemmShape& shape, const float* a, const float* b, float* c);
void convolve(const ConvolutionShape& shape, Pass pass, const ConvolutionBuffers& buffers);

}  // namespace ooc::gpu::stub
