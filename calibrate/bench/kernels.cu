// The kernels of the measuring method: gate, spin, loads, patterns. See kernels.hpp.
#include "calibrate/bench/kernels.hpp"

namespace ooc::bench {
namespace {

constexpr int kThreads = 256;
constexpr unsigned long long kGateLimitNs = 10000000000ULL;

__device__ unsigned long long device_ns() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

__global__ void gate_kernel(const volatile unsigned* flag) {
  const unsigned long long start = device_ns();
  while (*flag == 0 && device_ns() - start < kGateLimitNs) {
  }
}

__global__ void empty_kernel() {}

__global__ void spin_kernel(unsigned long long ns) {
  const unsigned long long start = device_ns();
  while (device_ns() - start < ns) {
  }
}

// Four independent chains a thread, so that the multiply-add units and not their latency are the limit.
__global__ void compute_kernel(long long rounds, float* sink) {
  float a = threadIdx.x;
  float b = a + 1;
  float c = a + 2;
  float d = a + 3;
  for (long long round = 0; round < rounds; ++round) {
#pragma unroll 16
    for (int i = 0; i < 256; ++i) {
      a = a * 0.999F + 0.5F;
      b = b * 0.999F + 0.5F;
      c = c * 0.999F + 0.5F;
      d = d * 0.999F + 0.5F;
    }
  }
  // Never true, which the compiler cannot know: without it the loop would be dropped.
  if (a + b + c + d == 1.25F) *sink = a;
}

// Four loads in flight a thread: fewer do not fill the memory of large devices.
__device__ void copy_strip(const uint4* source, uint4* target, std::size_t count, std::size_t first,
                           std::size_t stride, unsigned salt) {
  std::size_t i = first;
  for (; i + 3 * stride < count; i += 4 * stride) {
    uint4 a = source[i];
    const uint4 b = source[i + stride];
    const uint4 c = source[i + 2 * stride];
    const uint4 d = source[i + 3 * stride];
    a.x += salt;
    target[i] = a;
    target[i + stride] = b;
    target[i + 2 * stride] = c;
    target[i + 3 * stride] = d;
  }
  for (; i < count; i += stride) target[i] = source[i];
}

__global__ void memory_kernel(long long rounds, const uint4* source, uint4* target,
                              std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (long long round = 0; round < rounds; ++round) {
    copy_strip(source, target, count, first, stride, static_cast<unsigned>(round));
  }
}

// Each block walks the buffers in strips and looks at the clock after each.
__global__ void busy_kernel(unsigned long long ns, const uint4* source, uint4* target,
                            std::size_t count) {
  const unsigned long long start = device_ns();
  const std::size_t strip = std::size_t{16} * blockDim.x;
  std::size_t at = blockIdx.x * strip;
  for (unsigned round = 0; device_ns() - start < ns; ++round) {
    if (at + strip > count) at = 0;
    const std::size_t length = count < strip ? count : strip;
    copy_strip(source + at, target + at, length, threadIdx.x, blockDim.x, round);
    at += gridDim.x * strip;
  }
}

__global__ void tick_kernel(unsigned long long* tick) {
  unsigned long long smallest = ~0ULL;
  unsigned long long last = device_ns();
  for (int seen = 0; seen < 16;) {
    const unsigned long long now = device_ns();
    if (now == last) continue;
    if (now - last < smallest) smallest = now - last;
    last = now;
    ++seen;
  }
  *tick = smallest;
}

__global__ void fill_kernel(std::uint64_t* words, std::size_t count, std::uint64_t first_word,
                            std::uint64_t seed) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    words[i] = pattern_word(first_word + i, seed);
  }
}

__global__ void check_kernel(const std::uint64_t* words, std::size_t count,
                             std::uint64_t first_word, std::uint64_t seed,
                             unsigned long long* mismatches) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    if (words[i] != pattern_word(first_word + i, seed)) atomicAdd(mismatches, 1ULL);
  }
}

__global__ void touch_kernel(const unsigned long long* words, std::size_t count,
                             unsigned long long* sink) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  unsigned long long sum = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    sum += words[i];
  }
  if (sum == 0x123456789abcdefULL) *sink = sum;  // keeps the reads alive
}

unsigned blocks_for(std::size_t items) {
  const std::size_t blocks = (items + kThreads - 1) / kThreads;
  return static_cast<unsigned>(blocks < 1 ? 1 : blocks > 65535 ? 65535 : blocks);
}

template <typename... Parameters, typename... Values>
cudaError_t launch(void (*kernel)(Parameters...), unsigned blocks, int threads, cudaStream_t stream,
                   Values... values) {
  kernel<<<blocks, static_cast<unsigned>(threads), 0, stream>>>(values...);
  return cudaGetLastError();
}

unsigned whole_device(int multiprocessors, int blocks_each) {
  return static_cast<unsigned>(multiprocessors * blocks_each);
}

}  // namespace

cudaError_t launch_gate(cudaStream_t stream, const volatile unsigned* device_flag) {
  return launch(&gate_kernel, 1, 1, stream, device_flag);
}

cudaError_t launch_empty(cudaStream_t stream) { return launch(&empty_kernel, 1, 1, stream); }

cudaError_t launch_spin(cudaStream_t stream, double ns) {
  return launch(&spin_kernel, 1, 1, stream, static_cast<unsigned long long>(ns));
}

cudaError_t launch_busy(cudaStream_t stream, double ns, int multiprocessors, const void* source,
                        void* target, std::size_t bytes) {
  return launch(&busy_kernel, whole_device(multiprocessors, 2), kThreads, stream,
                static_cast<unsigned long long>(ns), static_cast<const uint4*>(source),
                static_cast<uint4*>(target), bytes / sizeof(uint4));
}

cudaError_t launch_tick(cudaStream_t stream, unsigned long long* tick) {
  return launch(&tick_kernel, 1, 1, stream, tick);
}

cudaError_t launch_compute(cudaStream_t stream, std::int64_t rounds, int multiprocessors,
                           float* sink) {
  return launch(&compute_kernel, whole_device(multiprocessors, 2), kThreads, stream, rounds, sink);
}

cudaError_t launch_memory(cudaStream_t stream, std::int64_t rounds, int multiprocessors,
                          const void* source, void* target, std::size_t bytes) {
  return launch(&memory_kernel, whole_device(multiprocessors, 8), kThreads, stream, rounds,
                static_cast<const uint4*>(source), static_cast<uint4*>(target),
                bytes / sizeof(uint4));
}

cudaError_t launch_fill(cudaStream_t stream, void* target, std::size_t bytes,
                        std::uint64_t first_word, std::uint64_t seed) {
  return launch(&fill_kernel, blocks_for(bytes / 8), kThreads, stream,
                static_cast<std::uint64_t*>(target), bytes / 8, first_word, seed);
}

cudaError_t launch_check(cudaStream_t stream, const void* source, std::size_t bytes,
                         std::uint64_t first_word, std::uint64_t seed,
                         unsigned long long* mismatches) {
  return launch(&check_kernel, blocks_for(bytes / 8), kThreads, stream,
                static_cast<const std::uint64_t*>(source), bytes / 8, first_word, seed, mismatches);
}

cudaError_t launch_touch(cudaStream_t stream, const void* managed, std::size_t bytes,
                         unsigned long long* sink) {
  return launch(&touch_kernel, blocks_for(bytes / 8), kThreads, stream,
                static_cast<const unsigned long long*>(managed), bytes / 8, sink);
}

}  // namespace ooc::bench
