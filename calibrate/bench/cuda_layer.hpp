// The CUDA runtime, or what stands in for it. Everything in this folder includes CUDA through this file: the
// toolkit's header, or with OOC_GPU_STUB the stub's, a fake device with a clock of its own that any C++
// compiler builds, so that gates, events, streams and records are tested without CUDA.
#pragma once

#if defined(OOC_GPU_STUB)
#include "calibrate/stub/cuda_runtime_stub.hpp"
#else
#include <cuda_runtime.h>
#endif
