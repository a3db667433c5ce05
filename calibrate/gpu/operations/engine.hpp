// The engine of this build: kernels for nvcc, loops on the stub device for any other compiler.
#pragma once

#if defined(__CUDACC__)
#include "calibrate/gpu/operations/engine.cuh"
#else
#include "calibrate/gpu/stub/operations_engine.hpp"
#endif
