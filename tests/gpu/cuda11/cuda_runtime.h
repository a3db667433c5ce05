// CUDA 11.8 and 12 as far as the benchmark uses them: the stub's header, which is CUDA 13's, but for what 13 changed (CUDA
// Runtime API, release notes of 13.0). `gpu.signatures` compiles the benchmark's host part with it.
#pragma once

#define cudaMemPrefetchAsync prefetch_of_cuda_13
#include "calibrate/stub/cuda_runtime_stub.hpp"
#undef cudaMemPrefetchAsync
#undef CUDART_VERSION
#define CUDART_VERSION 11080

inline constexpr int cudaCpuDeviceId = -1;
cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int device,
                                 cudaStream_t stream);
