// All that differs between a real device and the fake one: CUDA, kernels, and the host's part in a measurement. Each
// launch puts one kernel on a stream and returns the launch's status. kernels.cu and platform.cpp have them for CUDA,
// stub/kernels.cpp for the fake device, whose clock the host's waiting and working must move.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(OOC_GPU_STUB)
#include "calibrate/stub/cuda_runtime_stub.hpp"
#else
#include <cuda_runtime.h>
#endif

#if defined(__CUDACC__)
#define OOC_HOST_DEVICE __host__ __device__
#else
#define OOC_HOST_DEVICE
#endif

namespace ooc::bench {

// The words that buffers are filled with before a copy and compared with after it. Each depends on its position and a
// seed, so that one that is stale, misplaced or damaged is seen.
OOC_HOST_DEVICE inline std::uint64_t pattern_word(std::uint64_t position, std::uint64_t seed) {
  std::uint64_t x = (position + 1) * 0x9e3779b97f4a7c15ULL ^ (seed * 0xd1342543de82ef95ULL);
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9ULL;
  return x ^ (x >> 32);
}

// Up to this size a buffer is checked as a whole, above it only the first and the last half of so much: on a device
// everything, on the fake one, where the tests' time is the host's, both ends.
#if defined(OOC_GPU_STUB)
inline constexpr std::size_t kWholeBytes = std::size_t{1} << 20;
#else
inline constexpr std::size_t kWholeBytes = std::size_t{1} << 62;
#endif

// A gate: while it is shut, everything behind it on its stream waits. `flag` lies in mapped pinned memory; the kernel
// gets the device's address of it. The gate gives up after 10 s.
void shut_gate(volatile unsigned* flag);
void open_gate(volatile unsigned* flag);
cudaError_t launch_gate(cudaStream_t stream, const volatile unsigned* device_flag);
cudaError_t launch_empty(cudaStream_t stream);
// One thread that lasts `ns` by the device's clock.
cudaError_t launch_spin(cudaStream_t stream, double ns);
// Copies from one near buffer to another on every multiprocessor until `ns` have passed: a spin for a step that memory
// bounds, so that copies over the link have to share near memory with it.
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
// Writes, or compares, the pattern; `bytes` is a multiple of 8 and `first_word` the position of the first word in the
// whole. Words that differ are added to *mismatches (near memory).
cudaError_t launch_fill(cudaStream_t stream, void* target, std::size_t bytes,
                        std::uint64_t first_word, std::uint64_t seed);
cudaError_t launch_check(cudaStream_t stream, const void* source, std::size_t bytes,
                         std::uint64_t first_word, std::uint64_t seed,
                         unsigned long long* mismatches);
// Reads every word of managed memory once.
cudaError_t launch_touch(cudaStream_t stream, const void* managed, std::size_t bytes,
                         unsigned long long* sink);

const char* backend_name();  // "cuda" or "stub"
double host_now_ns();        // monotonic
// One copy by `threads` threads, from the moment all of them are ready to the end of the last.
double copy_on_host_ns(void* target, const void* source, std::size_t bytes, unsigned threads);
// One write to each 4 KiB page of managed memory, by one thread.
double touch_on_host_ns(void* managed, std::size_t bytes);
// Has everything that a measurement launches loaded, and returns the tick of the clock that spins read. CUDA loads a
// kernel on its first launch, which may wait for the device; behind a shut gate that would be for ever.
double load_everything(int multiprocessors);

}  // namespace ooc::bench
