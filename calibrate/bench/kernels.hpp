// Interface to CUDA or to the stub: kernels, and the host's part of measurements. A launch puts one
// kernel on a stream and returns the launch's status. kernels.cu and platform.cpp implement CUDA,
// stub/kernels.cpp the stub, whose clock must advance with the host's work and waits.
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

// Word of the pattern that fills buffers before a copy and is compared after. The word depends on
// position and seed, which reveals stale, misplaced and damaged data.
OOC_HOST_DEVICE inline std::uint64_t pattern_word(std::uint64_t position, std::uint64_t seed) {
  std::uint64_t x = (position + 1) * 0x9e3779b97f4a7c15ULL ^ (seed * 0xd1342543de82ef95ULL);
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9ULL;
  return x ^ (x >> 32);
}

// Size up to which a whole buffer is verified. Of a larger buffer the first and the last half of this
// size are. CUDA verifies everything; the stub both ends, to keep tests quick.
#if defined(OOC_GPU_STUB)
inline constexpr std::size_t kWholeBytes = std::size_t{1} << 20;
#else
inline constexpr std::size_t kWholeBytes = std::size_t{1} << 62;
#endif

// Kernel of a Gate: while *device_flag is 0, all later work on the stream waits, 10 s at most. The flag lies in mapped
// pinned memory; the kernel gets its device address.
cudaError_t launch_gate(cudaStream_t stream, const volatile unsigned* device_flag);
cudaError_t launch_empty(cudaStream_t stream);
// Kernel of one thread that runs for `ns` by the device's clock.
cudaError_t launch_spin(cudaStream_t stream, double ns);
// Copies between two GPU buffers on every multiprocessor for `ns`: a spin bound by memory, which
// shares GPU memory with copies over the link.
cudaError_t launch_busy(cudaStream_t stream, double ns, int multiprocessors, const void* source,
                        void* target, std::size_t bytes);
// Writes the smallest step of the clock of spins, in ns, to *tick (GPU memory).
cudaError_t launch_tick(cudaStream_t stream, unsigned long long* tick);
// Multiply-adds on every multiprocessor, `rounds` x 1024 a thread. *sink: a float in GPU memory, never written.
cudaError_t launch_compute(cudaStream_t stream, std::int64_t rounds, int multiprocessors,
                           float* sink);
// Copies `bytes` from one GPU buffer to another, `rounds` times.
cudaError_t launch_memory(cudaStream_t stream, std::int64_t rounds, int multiprocessors,
                          const void* source, void* target, std::size_t bytes);
// launch_fill writes pattern_word(), launch_check compares with it. `bytes` is a multiple of 8;
// `first_word`: position of the first word. Wrong words are counted in *mismatches (GPU memory).
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
// Returns the ns of one copy by `threads` threads, from when all are ready to the end of the last.
double copy_on_host_ns(void* target, const void* source, std::size_t bytes, unsigned threads);
// Returns the ns of one write to each 4 KiB page of managed memory by one thread.
double touch_on_host_ns(void* managed, std::size_t bytes);
// Loads everything that measurements launch; returns the tick of the spins' clock in ns. CUDA loads
// a kernel at its first launch, which may wait for the device: behind a closed gate for ever.
double load_everything(int multiprocessors);

}  // namespace ooc::bench
