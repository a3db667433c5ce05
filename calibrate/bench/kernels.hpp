// Kernels as plain functions, so that everything but kernels.cu is compiled by any C++ compiler. Each
// puts one kernel on a stream and returns the launch's status. kernels.cu has them for CUDA, stub/kernels.cpp for the
// fake device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "calibrate/bench/cuda_layer.hpp"

namespace ooc::bench {

// A gate: while it is shut, everything behind it on its stream waits. `flag` lies in mapped pinned memory; the
// kernel gets the device's address of it. The gate gives up after 10 s.
void shut_gate(volatile unsigned* flag);
void open_gate(volatile unsigned* flag);
cudaError_t launch_gate(cudaStream_t stream, const volatile unsigned* device_flag);

cudaError_t launch_empty(cudaStream_t stream);

// One thread that lasts `ns` by the device's clock.
cudaError_t launch_spin(cudaStream_t stream, double ns);

// On every multiprocessor, copies from one near buffer to another until `ns` have passed: a spin for a step that
// memory bounds, so that copies over the link have to share near memory with it.
cudaError_t launch_busy(cudaStream_t stream, double ns, int multiprocessors, const void* source,
                        void* target, std::size_t bytes);

// Writes the smallest advance seen of the clock that spins read, in ns, to *tick (near memory).
cudaError_t launch_tick(cudaStream_t stream, unsigned long long* tick);

// Arithmetic without memory traffic on every multiprocessor, `rounds` of 1024 multiply-adds a thread.
cudaError_t launch_compute(cudaStream_t stream, std::int64_t rounds, int multiprocessors,
                           float* sink);

// Copies `bytes` from one near buffer to another, `rounds` times.
cudaError_t launch_memory(cudaStream_t stream, std::int64_t rounds, int multiprocessors,
                          const void* source, void* target, std::size_t bytes);

// Writes, or compares, the pattern of pattern.hpp; `bytes` is a multiple of 8 and `first_word` the position of
// the first word in the whole. Words that differ are added to *mismatches (near memory).
cudaError_t launch_fill(cudaStream_t stream, void* target, std::size_t bytes,
                        std::uint64_t first_word, std::uint64_t seed);
cudaError_t launch_check(cudaStream_t stream, const void* source, std::size_t bytes,
                         std::uint64_t first_word, std::uint64_t seed,
                         unsigned long long* mismatches);

// Reads every word of managed memory once.
cudaError_t launch_touch(cudaStream_t stream, const void* managed, std::size_t bytes,
                         unsigned long long* sink);

}  // namespace ooc::bench
