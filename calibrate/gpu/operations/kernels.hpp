// The kernels of compute=real as plain functions: float32, sample after sample, channels before pixels. Each puts
// a fixed few kernels on the stream and returns the launches' status. operations/kernels.cu has them for CUDA,
// stub/operations_kernels.cpp for the fake device, both from the same bodies (operations/*.inl).
#pragma once

#include <cstddef>
#include <cstdint>

#include "calibrate/gpu/cuda_layer.hpp"
#include "calibrate/gpu/operations/math.hpp"

namespace ooc::gpu {

// A tensor, or a slice of a wider one: from one sample to the next are `stride` elements.
struct Slice {
  float* data = nullptr;
  std::size_t stride = 0;
};

// Where results go: written, or added to what is there.
struct Target {
  Slice to;
  bool add = false;
};

struct Batch {
  unsigned samples = 1;
  unsigned elements = 1;  // of a sample, below 2^31
};

// Numbers per channel: [channels, positions] in a sample.
struct ChannelShape {
  unsigned samples = 1;
  unsigned channels = 1;
  unsigned positions = 1;
};

// The kernels that keep numbers per channel between two launches have room for so many.
inline constexpr unsigned kMostChannels = 16384;

// Numbers that belong together stand `inner` apart, `length` of them; there are samples × rows × inner such groups.
// Channels first: rows = 1, inner = positions; channels last: rows = positions, inner = 1.
struct RowShape {
  unsigned samples = 1;
  unsigned rows = 1;
  unsigned length = 1;
  unsigned inner = 1;
};

inline constexpr int kMostInputs = 8;
struct Inputs {
  Slice from[kMostInputs];
  int count = 0;
  unsigned spread = 0;  // bit i: input i has one number a channel (multiply)
};

// ---- element by element (operations/elementwise.inl)

cudaError_t launch_activation(cudaStream_t stream, Activation kind, Batch batch, Slice x, Slice y);
cudaError_t launch_activation_backward(cudaStream_t stream, Activation kind, Batch batch,
                                       Slice saved, Slice dy, Target dx);
// Keeps one in two, doubled.
cudaError_t launch_dropout(cudaStream_t stream, Batch batch, std::uint32_t seed, Slice x, Slice y,
                           unsigned char* mask);
cudaError_t launch_dropout_backward(cudaStream_t stream, Batch batch, const unsigned char* mask,
                                    Slice dy, Target dx);
// The sum of all inputs; of one: a copy.
cudaError_t launch_sum(cudaStream_t stream, Batch batch, const Inputs& inputs, Target y);
cudaError_t launch_multiply(cudaStream_t stream, ChannelShape shape, const Inputs& x, Slice y);
// The gradient by input `of`.
cudaError_t launch_multiply_backward(cudaStream_t stream, ChannelShape shape, const Inputs& x,
                                     int of, Slice dy, Target dx);
// y += bias, one number a channel.
cudaError_t launch_bias(cudaStream_t stream, ChannelShape shape, const float* bias, Slice y);
// Numbers in [low, high).
cudaError_t launch_random(cudaStream_t stream, float* numbers, std::size_t count,
                          std::uint32_t seed, float low, float high);

enum class Update { kSgd, kMomentum, kAdam };
// One step on `count` parameters. Velocities or first moments at `state`, second moments behind them.
// `step` counts from 1.
cudaError_t launch_update(cudaStream_t stream, Update update, std::size_t count, std::int64_t step,
                          float* w, const float* dw, float* state);

// ---- windows and places (operations/pools.inl, operations/places.inl)

enum class Pool { kMax, kAverage, kAdaptive };
struct PoolShape {
  unsigned samples = 1;
  unsigned channels = 1;
  WindowDim y;
  WindowDim x;
};
cudaError_t launch_pool(cudaStream_t stream, Pool pool, const PoolShape& shape, Slice x, Slice y);
// `x` and `y` are read by kMax only.
cudaError_t launch_pool_backward(cudaStream_t stream, Pool pool, const PoolShape& shape, Slice x,
                                 Slice y, Slice dy, Target dx);

struct UpsampleShape {
  unsigned samples = 1;
  unsigned channels = 1;
  int height = 1;
  int width = 1;
  int scale_h = 1;
  int scale_w = 1;
  bool bilinear = false;
};
cudaError_t launch_upsample(cudaStream_t stream, const UpsampleShape& shape, Slice x, Slice y);
cudaError_t launch_upsample_backward(cudaStream_t stream, const UpsampleShape& shape, Slice dy,
                                     Target dx);

struct SliceShape {
  unsigned samples = 1;
  unsigned outer = 1;
  unsigned size = 1;
  unsigned begin = 0;
  unsigned end = 1;
  unsigned inner = 1;
};
cudaError_t launch_slice(cudaStream_t stream, const SliceShape& shape, Slice x, Slice y);
cudaError_t launch_slice_backward(cudaStream_t stream, const SliceShape& shape, Slice dy,
                                  Target dx);

inline constexpr int kMostDims = 6;
// Dimension d of the result has `dims[d]` numbers, which lie `strides[d]` apart in the source.
struct TransposeShape {
  unsigned samples = 1;
  int rank = 1;
  unsigned dims[kMostDims] = {1, 1, 1, 1, 1, 1};
  unsigned strides[kMostDims] = {1, 1, 1, 1, 1, 1};
};
cudaError_t launch_transpose(cudaStream_t stream, const TransposeShape& shape, Slice from,
                             Target to);

// Local response normalisation over `size` channels.
cudaError_t launch_lrn(cudaStream_t stream, ChannelShape shape, int size, Slice x, Slice y);
cudaError_t launch_lrn_backward(cudaStream_t stream, ChannelShape shape, int size, Slice x, Slice y,
                                Slice dy, Target dx);

// ---- sums over channels and rows (operations/reductions.inl, operations/rows.inl)

// sums[c] = Σ x over batch and positions.
cudaError_t launch_channel_sum(cudaStream_t stream, ChannelShape shape, Slice x, float* sums);
// `w`: gamma, then beta, a number a channel each; `dw` alike.
cudaError_t launch_batch_norm_forward(cudaStream_t stream, ChannelShape shape, Slice x,
                                      const float* w, Slice y);
cudaError_t launch_batch_norm_gradients(cudaStream_t stream, ChannelShape shape, Slice x, Slice dy,
                                        const float* w, float* dw, Target dx);
cudaError_t launch_layer_norm(cudaStream_t stream, RowShape shape, Slice x, const float* w,
                              Slice y);
cudaError_t launch_layer_norm_backward(cudaStream_t stream, RowShape shape, Slice x, Slice dy,
                                       const float* w, float* dw, Target dx);
cudaError_t launch_softmax(cudaStream_t stream, RowShape shape, Slice x, Slice y);
cudaError_t launch_softmax_backward(cudaStream_t stream, RowShape shape, Slice y, Slice dy,
                                    Target dx);
// The label of sample n at position p is channel (n + p) mod channels.
cudaError_t launch_cross_entropy_backward(cudaStream_t stream, RowShape shape, Slice y, Target dx);

}  // namespace ooc::gpu
