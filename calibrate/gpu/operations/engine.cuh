// How bodies become kernels on a CUDA device: each element by itself, sums over channels, and groups of numbers
// (rows) that need sums of their own. stub/operations_engine.hpp has the same functions for the stub device.
// Included by operations/kernels.cu alone.
#pragma once

#include "calibrate/gpu/operations/kernels.hpp"

namespace ooc::gpu::engine {

constexpr unsigned kThreads = 256;
constexpr unsigned kPerThread = 4;  // so many loads are on their way before the first store
constexpr unsigned kTile = kThreads * kPerThread;
constexpr unsigned kMostGrid = 65535;  // in y
constexpr unsigned kWantedBlocks = 2048;
constexpr unsigned kLeastPart = 4096;  // elements that are worth a block of their own
constexpr unsigned kMostParts = 32;    // a warp adds them up
constexpr unsigned kMostSums = 4;

// Belong to the program, not to the plan: a few hundred KiB of near memory. All operations run on one stream.
__device__ float partial_sums[kWantedBlocks * kMostSums];
__device__ float channel_coefficients[3 * kMostChannels];

// Three numbers a channel, from a sum's end to the kernel behind it.
inline float* coefficients() {
  static float* const address = [] {
    void* found = nullptr;
    return cudaGetSymbolAddress(&found, channel_coefficients) == cudaSuccess
               ? static_cast<float*>(found)
               : nullptr;
  }();
  return address;
}

inline unsigned at_most(std::size_t wanted, unsigned limit) {
  return wanted < limit ? static_cast<unsigned>(wanted) : limit;
}

// ---- each element

template <class Body>
__global__ void each_kernel(Batch batch, Target target, Body body) {
  for (unsigned sample = blockIdx.y; sample < batch.samples; sample += gridDim.y) {
    float* const out = target.to.data + sample * target.to.stride;
    for (unsigned first = blockIdx.x * kTile + threadIdx.x; first < batch.elements;
         first += gridDim.x * kTile) {
      float values[kPerThread];
#pragma unroll
      for (unsigned k = 0; k < kPerThread; ++k) {
        const unsigned at = first + k * kThreads;
        if (at < batch.elements) values[k] = body(sample, at);
      }
#pragma unroll
      for (unsigned k = 0; k < kPerThread; ++k) {
        const unsigned at = first + k * kThreads;
        if (at < batch.elements) out[at] = target.add ? out[at] + values[k] : values[k];
      }
    }
  }
}

template <class Body>
cudaError_t each(cudaStream_t stream, Batch batch, Target target, Body body, double /*bytes*/) {
  const dim3 grid(at_most((std::size_t{batch.elements} + kTile - 1) / kTile, 1U << 20),
                  at_most(batch.samples, kMostGrid));
  each_kernel<<<grid, kThreads, 0, stream>>>(batch, target, body);
  return cudaGetLastError();
}

// ---- sums within a block

__device__ inline float larger(float a, float b) { return a > b ? a : b; }

template <bool kLargest>
__device__ float block_combine(float value) {
  __shared__ float partial[kThreads / 32];
  for (int offset = 16; offset > 0; offset /= 2) {
    const float other = __shfl_xor_sync(~0U, value, offset);
    value = kLargest ? larger(value, other) : value + other;
  }
  __syncthreads();  // what was read of an earlier call
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  float all = partial[0];
  for (unsigned i = 1; i < kThreads / 32; ++i) {
    all = kLargest ? larger(all, partial[i]) : all + partial[i];
  }
  return all;
}

// ---- sums over channels: blockIdx.x is the channel, blockIdx.y the part of it

// `Body` gives kSums numbers for an element, `Finish` takes their sums. One part: finished at once.
template <class Body, class Finish>
__global__ void channel_kernel(ChannelShape shape, Divider positions, Body body, Finish finish) {
  const unsigned channel = blockIdx.x;
  const unsigned count = shape.samples * shape.positions;
  float sums[Body::kSums] = {};
  for (unsigned i = blockIdx.y * kThreads + threadIdx.x; i < count; i += gridDim.y * kThreads) {
    const unsigned sample = positions.quotient(i);
    body(sample, channel, i - sample * shape.positions, sums);
  }
  for (float& sum : sums) sum = block_combine<false>(sum);
  if (threadIdx.x != 0) return;
  if (gridDim.y == 1) return finish(channel, sums);
  float* const out = partial_sums + (channel * gridDim.y + blockIdx.y) * Body::kSums;
  for (int s = 0; s < Body::kSums; ++s) out[s] = sums[s];
}

// A warp a channel.
template <class Body, class Finish>
__global__ void finish_kernel(unsigned channels, unsigned parts, Finish finish) {
  const unsigned channel = (blockIdx.x * kThreads + threadIdx.x) / 32;
  const unsigned lane = threadIdx.x % 32;
  if (channel >= channels) return;
  float sums[Body::kSums];
  for (int s = 0; s < Body::kSums; ++s) {
    sums[s] = lane < parts ? partial_sums[(channel * parts + lane) * Body::kSums + s] : 0.0F;
    for (int offset = 16; offset > 0; offset /= 2) {
      sums[s] += __shfl_xor_sync(~0U, sums[s], offset);
    }
  }
  if (lane == 0) finish(channel, sums);
}

// One position a channel: threads side by side read channels side by side, 32 of them and 8 samples at a time.
template <class Body, class Finish>
__global__ void column_kernel(ChannelShape shape, Body body, Finish finish) {
  __shared__ float partial[Body::kSums][kThreads / 32][32];
  const unsigned lane = threadIdx.x % 32;
  const unsigned row = threadIdx.x / 32;
  const unsigned channel = blockIdx.x * 32 + lane;
  float sums[Body::kSums] = {};
  if (channel < shape.channels) {
    for (unsigned sample = row; sample < shape.samples; sample += kThreads / 32) {
      body(sample, channel, 0U, sums);
    }
  }
  for (int s = 0; s < Body::kSums; ++s) partial[s][row][lane] = sums[s];
  __syncthreads();
  if (row != 0 || channel >= shape.channels) return;
  for (int s = 0; s < Body::kSums; ++s) {
    for (unsigned i = 1; i < kThreads / 32; ++i) sums[s] += partial[s][i][lane];
  }
  finish(channel, sums);
}

template <class Body, class Finish>
cudaError_t channel_sums(cudaStream_t stream, ChannelShape shape, Body body, Finish finish,
                         double /*bytes*/) {
  static_assert(Body::kSums <= kMostSums);
  if (shape.positions == 1) {
    column_kernel<<<(shape.channels + 31) / 32, kThreads, 0, stream>>>(shape, body, finish);
    return cudaGetLastError();
  }
  const unsigned wanted =
      at_most(kWantedBlocks / shape.channels,
              at_most(std::size_t{shape.samples} * shape.positions / kLeastPart, kMostParts));
  const unsigned parts = wanted < 1 ? 1 : wanted;
  channel_kernel<<<dim3(shape.channels, parts), kThreads, 0, stream>>>(
      shape, Divider(shape.positions), body, finish);
  if (parts > 1) {
    finish_kernel<Body><<<(shape.channels * 32 + kThreads - 1) / kThreads, kThreads, 0, stream>>>(
        shape.channels, parts, finish);
  }
  return cudaGetLastError();
}

// ---- rows

struct BlockTeam {
  __device__ unsigned first() const { return threadIdx.x; }
  __device__ unsigned step() const { return kThreads; }
  __device__ float sum(float value) const { return block_combine<false>(value); }
  __device__ float largest(float value) const { return block_combine<true>(value); }
  __device__ void add(float* to, float value) const { atomicAdd(to, value); }
};

struct ThreadTeam {
  __device__ unsigned first() const { return 0; }
  __device__ unsigned step() const { return 1; }
  __device__ float sum(float value) const { return value; }
  __device__ float largest(float value) const { return value; }
  __device__ void add(float* to, float value) const { atomicAdd(to, value); }
};

// A block for each row whose numbers stand side by side.
template <class Body>
__global__ void row_kernel(RowShape shape, Divider rows, Body body) {
  const unsigned count = shape.samples * shape.rows;
  for (unsigned i = blockIdx.x; i < count; i += gridDim.x) {
    const unsigned sample = rows.quotient(i);
    body(BlockTeam{}, sample, i - sample * shape.rows, 0U);
  }
}

// Else a thread for each: those of neighbours stand side by side.
template <class Body>
__global__ void thread_row_kernel(RowShape shape, Divider inner, Divider rows, Body body) {
  const unsigned count = shape.samples * shape.rows * shape.inner;
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < count; i += gridDim.x * kThreads) {
    const unsigned outer = inner.quotient(i);
    const unsigned sample = rows.quotient(outer);
    body(ThreadTeam{}, sample, outer - sample * shape.rows, i - outer * shape.inner);
  }
}

template <class Body>
cudaError_t rows(cudaStream_t stream, RowShape shape, Body body, double /*bytes*/) {
  const std::size_t outer = std::size_t{shape.samples} * shape.rows;
  if (shape.inner == 1) {
    row_kernel<<<at_most(outer, 1U << 20), kThreads, 0, stream>>>(shape, Divider(shape.rows), body);
  } else {
    const std::size_t count = outer * shape.inner;
    thread_row_kernel<<<at_most((count + kThreads - 1) / kThreads, 1U << 20), kThreads, 0,
                        stream>>>(shape, Divider(shape.inner), Divider(shape.rows), body);
  }
  return cudaGetLastError();
}

}  // namespace ooc::gpu::engine
