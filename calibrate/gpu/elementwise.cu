// Our own element-wise, norm and pool kernels, float32, channels before pixels: simple ones, limited by near memory
// as a library's are. See kernels.hpp.
#include <cfloat>

#include "calibrate/gpu/kernels.hpp"

namespace ooc::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kParts = 32;  // blocks that share the sums of one channel
constexpr float kEpsilon = 1e-5F;

unsigned blocks_for(std::size_t items) {
  const std::size_t blocks = (items + kThreads - 1) / kThreads;
  return static_cast<unsigned>(blocks < 1 ? 1 : blocks > 65535 ? 65535 : blocks);
}

std::size_t elements(Image image) {
  return std::size_t(image.batch) * std::size_t(image.channels) * std::size_t(image.height) *
         std::size_t(image.width);
}

__device__ std::size_t first_index() { return std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ std::size_t index_stride() { return std::size_t{gridDim.x} * blockDim.x; }

__global__ void relu_kernel(const float* x, float* y, std::size_t count) {
  for (std::size_t i = first_index(); i < count; i += index_stride()) y[i] = fmaxf(x[i], 0.0F);
}

__global__ void relu_backward_kernel(const float* y, const float* dy, float* dx,
                                     std::size_t count) {
  for (std::size_t i = first_index(); i < count; i += index_stride()) {
    dx[i] = y[i] > 0.0F ? dy[i] : 0.0F;
  }
}

__global__ void add_kernel(const float* a, const float* b, float* y, std::size_t count) {
  for (std::size_t i = first_index(); i < count; i += index_stride()) y[i] = a[i] + b[i];
}

__device__ float block_sum(float value) {
  __shared__ float partial[kThreads / 32];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0U, value, offset);
  __syncthreads();
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < kThreads / 32; ++i) sum += partial[i];
  return sum;
}

// sums[2c], sums[2c + 1]: Σ x and Σ x·z over a channel, with z = x (forward) or z = dy (backward, where the first is Σ dy).
template <bool kBackward>
__global__ void channel_sums_kernel(Image image, const float* x, const float* dy, float* sums) {
  const int channel = static_cast<int>(blockIdx.x);
  const std::size_t pixels = std::size_t(image.height) * std::size_t(image.width);
  const std::size_t per_channel = pixels * std::size_t(image.batch);
  float first = 0;
  float second = 0;
  const std::size_t stride = std::size_t{gridDim.y} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.y} * blockDim.x + threadIdx.x; i < per_channel;
       i += stride) {
    const std::size_t at =
        (i / pixels * std::size_t(image.channels) + std::size_t(channel)) * pixels + i % pixels;
    const float other = kBackward ? dy[at] : x[at];
    first += other;
    second += other * x[at];
  }
  first = block_sum(first);
  second = block_sum(second);
  if (threadIdx.x == 0) {
    atomicAdd(&sums[2 * channel], first);
    atomicAdd(&sums[2 * channel + 1], second);
  }
}

__global__ void normalise_kernel(Image image, const float* x, float* y, const float* sums) {
  const std::size_t pixels = std::size_t(image.height) * std::size_t(image.width);
  const std::size_t count = pixels * std::size_t(image.batch) * std::size_t(image.channels);
  const float n = static_cast<float>(pixels * std::size_t(image.batch));
  for (std::size_t i = first_index(); i < count; i += index_stride()) {
    const std::size_t channel = i / pixels % std::size_t(image.channels);
    const float mean = sums[2 * channel] / n;
    const float variance = sums[2 * channel + 1] / n - mean * mean;
    y[i] = (x[i] - mean) * rsqrtf(fmaxf(variance, 0.0F) + kEpsilon);
  }
}

// Of inputs that are normalised already (mean 0, variance 1), whose memory traffic is that of the general case.
__global__ void normalise_backward_kernel(Image image, const float* x, const float* dy, float* dx,
                                          const float* sums) {
  const std::size_t pixels = std::size_t(image.height) * std::size_t(image.width);
  const std::size_t count = pixels * std::size_t(image.batch) * std::size_t(image.channels);
  const float n = static_cast<float>(pixels * std::size_t(image.batch));
  for (std::size_t i = first_index(); i < count; i += index_stride()) {
    const std::size_t channel = i / pixels % std::size_t(image.channels);
    dx[i] = dy[i] - sums[2 * channel] / n - x[i] * sums[2 * channel + 1] / n;
  }
}

struct Pooled {
  int height;
  int width;
};

// The position of the largest element under window (oy, ox) of the plane at `plane`.
__device__ std::size_t largest_in_window(Image image, Window window, const float* x,
                                         std::size_t plane, int oy, int ox) {
  std::size_t best_at = plane;
  float best = -FLT_MAX;
  for (int dy = 0; dy < window.size; ++dy) {
    for (int dx = 0; dx < window.size; ++dx) {
      const int iy = oy * window.stride - window.padding + dy;
      const int ix = ox * window.stride - window.padding + dx;
      if (iy < 0 || ix < 0 || iy >= image.height || ix >= image.width) continue;
      const std::size_t at = plane + std::size_t(iy) * std::size_t(image.width) + std::size_t(ix);
      if (x[at] > best) {
        best = x[at];
        best_at = at;
      }
    }
  }
  return best_at;
}

template <bool kBackward>
__global__ void max_pool_kernel(Image image, Window window, Pooled out, const float* x,
                                const float* dy, float* result) {
  const std::size_t out_pixels = std::size_t(out.height) * std::size_t(out.width);
  const std::size_t pixels = std::size_t(image.height) * std::size_t(image.width);
  const std::size_t count = out_pixels * std::size_t(image.batch) * std::size_t(image.channels);
  for (std::size_t i = first_index(); i < count; i += index_stride()) {
    const std::size_t plane = i / out_pixels * pixels;
    const int pixel = static_cast<int>(i % out_pixels);
    const std::size_t at =
        largest_in_window(image, window, x, plane, pixel / out.width, pixel % out.width);
    if (kBackward) {
      atomicAdd(&result[at], dy[i]);  // windows overlap
    } else {
      result[i] = x[at];
    }
  }
}

template <bool kBackward>
cudaError_t launch_channel_sums(cudaStream_t stream, Image image, const float* x, const float* dy,
                                float* sums) {
  const std::size_t bytes = 2 * sizeof(float) * std::size_t(image.channels);
  const cudaError_t cleared = cudaMemsetAsync(sums, 0, bytes, stream);
  if (cleared != cudaSuccess) return cleared;
  const dim3 grid(static_cast<unsigned>(image.channels), kParts);
  channel_sums_kernel<kBackward><<<grid, kThreads, 0, stream>>>(image, x, dy, sums);
  return cudaGetLastError();
}

Pooled pooled_size(Image image, Window window) {
  return {pooled(image.height, window), pooled(image.width, window)};
}

std::size_t pooled_elements(Image image, Pooled out) {
  return std::size_t(image.batch) * std::size_t(image.channels) * std::size_t(out.height) *
         std::size_t(out.width);
}

}  // namespace

cudaError_t launch_relu(cudaStream_t stream, const float* x, float* y, std::size_t count) {
  relu_kernel<<<blocks_for(count), kThreads, 0, stream>>>(x, y, count);
  return cudaGetLastError();
}

cudaError_t launch_relu_backward(cudaStream_t stream, const float* y, const float* dy, float* dx,
                                 std::size_t count) {
  relu_backward_kernel<<<blocks_for(count), kThreads, 0, stream>>>(y, dy, dx, count);
  return cudaGetLastError();
}

cudaError_t launch_add(cudaStream_t stream, const float* a, const float* b, float* y,
                       std::size_t count) {
  add_kernel<<<blocks_for(count), kThreads, 0, stream>>>(a, b, y, count);
  return cudaGetLastError();
}

cudaError_t launch_batch_norm(cudaStream_t stream, Image image, const float* x, float* y,
                              float* sums) {
  const cudaError_t summed = launch_channel_sums<false>(stream, image, x, nullptr, sums);
  if (summed != cudaSuccess) return summed;
  normalise_kernel<<<blocks_for(elements(image)), kThreads, 0, stream>>>(image, x, y, sums);
  return cudaGetLastError();
}

cudaError_t launch_batch_norm_backward(cudaStream_t stream, Image image, const float* x,
                                       const float* dy, float* dx, float* sums) {
  const cudaError_t summed = launch_channel_sums<true>(stream, image, x, dy, sums);
  if (summed != cudaSuccess) return summed;
  normalise_backward_kernel<<<blocks_for(elements(image)), kThreads, 0, stream>>>(image, x, dy, dx,
                                                                                  sums);
  return cudaGetLastError();
}

cudaError_t launch_max_pool(cudaStream_t stream, Image image, Window window, const float* x,
                            float* y) {
  const Pooled out = pooled_size(image, window);
  max_pool_kernel<false><<<blocks_for(pooled_elements(image, out)), kThreads, 0, stream>>>(
      image, window, out, x, nullptr, y);
  return cudaGetLastError();
}

cudaError_t launch_max_pool_backward(cudaStream_t stream, Image image, Window window,
                                     const float* x, const float* dy, float* dx) {
  const cudaError_t cleared = cudaMemsetAsync(dx, 0, elements(image) * sizeof(float), stream);
  if (cleared != cudaSuccess) return cleared;
  const Pooled out = pooled_size(image, window);
  max_pool_kernel<true><<<blocks_for(pooled_elements(image, out)), kThreads, 0, stream>>>(
      image, window, out, x, dy, dx);
  return cudaGetLastError();
}

}  // namespace ooc::gpu
