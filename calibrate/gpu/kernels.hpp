// Kernels as plain functions, so that everything but kernels.cu is compiled by any C++ compiler. Each
// puts one kernel (or a fixed few) on a stream and returns the launch's status. kernels.cu and
// elementwise.cu have them for CUDA, stub/kernels.cpp for the fake device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "calibrate/gpu/cuda_layer.hpp"

namespace ooc::gpu {

// A gate: while it is shut, everything behind it on its stream waits. `flag` lies in mapped pinned memory; the
// kernel gets the device's address of it. The gate gives up after 10 s.
void shut_gate(volatile unsigned* flag);
void open_gate(volatile unsigned* flag);
cudaError_t launch_gate(cudaStream_t stream, const volatile unsigned* device_flag);

cudaError_t launch_empty(cudaStream_t stream);

// One thread that lasts `ns` by the device's clock.
cudaError_t launch_spin(cudaStream_t stream, double ns);

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

// Adds to *hash (near memory) a number that depends on every word and its position; `bytes` is a multiple of 8.
cudaError_t launch_hash(cudaStream_t stream, const void* source, std::size_t bytes,
                        unsigned long long* hash);

// Numbers in [-1, 1): products of zeros would draw less power and run faster than real ones.
enum class Element { kFloat32, kFloat16, kBfloat16 };
cudaError_t launch_uniform(cudaStream_t stream, Element element, void* target, std::size_t count);

// Reads every word of managed memory once.
cudaError_t launch_touch(cudaStream_t stream, const void* managed, std::size_t bytes,
                         unsigned long long* sink);

// The element-wise, norm and pool kernels, float32, channels before pixels.
struct Image {
  int batch;
  int channels;
  int height;
  int width;
};

struct Window {
  int size;
  int stride;
  int padding;
};

cudaError_t launch_relu(cudaStream_t stream, const float* x, float* y, std::size_t count);
cudaError_t launch_relu_backward(cudaStream_t stream, const float* y, const float* dy, float* dx,
                                 std::size_t count);
cudaError_t launch_add(cudaStream_t stream, const float* a, const float* b, float* y,
                       std::size_t count);
// `sums` holds 2 floats a channel and is overwritten. Scale 1, shift 0: the traffic is that of the real layer.
cudaError_t launch_batch_norm(cudaStream_t stream, Image image, const float* x, float* y,
                              float* sums);
cudaError_t launch_batch_norm_backward(cudaStream_t stream, Image image, const float* x,
                                       const float* dy, float* dx, float* sums);
cudaError_t launch_max_pool(cudaStream_t stream, Image image, Window window, const float* x,
                            float* y);
cudaError_t launch_max_pool_backward(cudaStream_t stream, Image image, Window window,
                                     const float* x, const float* dy, float* dx);

inline int pooled(int pixels, Window window) {
  return (pixels + 2 * window.padding - window.size) / window.stride + 1;
}

}  // namespace ooc::gpu
