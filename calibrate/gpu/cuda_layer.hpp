// The CUDA runtime, or what stands in for it. Everything in this folder includes CUDA through this file:
// with OOC_GPU_CUDA the toolkit's header (nvcc), otherwise the stub's, a fake device with a clock that
// any C++ compiler builds, so that gates, events, streams and the line format are tested without a GPU.
#pragma once

#if defined(OOC_GPU_CUDA)
#include <cuda_runtime.h>
#else
#include "calibrate/gpu/stub/cuda_runtime_stub.hpp"
#endif
