// The operations that need sums over the channels of a position: softmax, layer norm. See operations/kernels.hpp;
// included by operations/kernels.cu and stub/operations_kernels.cpp alone.
#pragma once

#include "calibrate/gpu/operations/reductions.inl"

namespace ooc::gpu {
namespace bodies {

// The numbers of one group of a RowShape.
struct Row {
  float* first;
  std::size_t step;
  OOC_KERNEL_CODE float& operator[](unsigned i) const { return first[i * step]; }
};

struct Rows {
  RowShape shape;
  OOC_KERNEL_CODE Row of(const Slice& slice, unsigned sample, unsigned row, unsigned inner) const {
    const std::size_t skipped = std::size_t{row} * shape.length * shape.inner;
    return {slice.data + sample * slice.stride + skipped + inner, shape.inner};
  }
};

OOC_KERNEL_CODE inline void put(float& to, float value, bool add) { to = add ? to + value : value; }

struct Softmax {
  Rows rows;
  Slice from;
  Slice to;
  template <class Team>
  OOC_KERNEL_CODE void operator()(const Team& team, unsigned sample, unsigned row,
                                  unsigned inner) const {
    const Row x = rows.of(from, sample, row, inner);
    const Row y = rows.of(to, sample, row, inner);
    const unsigned length = rows.shape.length;
    float largest = -INFINITY;
    for (unsigned i = team.first(); i < length; i += team.step()) largest = fmaxf(largest, x[i]);
    largest = team.largest(largest);
    float sum = 0;
    for (unsigned i = team.first(); i < length; i += team.step()) sum += expf(x[i] - largest);
    const float factor = 1.0F / team.sum(sum);
    for (unsigned i = team.first(); i < length; i += team.step()) {
      y[i] = expf(x[i] - largest) * factor;
    }
  }
};

// dx = y (dy - Σ y dy).
struct SoftmaxBackward {
  Rows rows;
  Slice from;
  Slice gradient;
  Target to;
  template <class Team>
  OOC_KERNEL_CODE void operator()(const Team& team, unsigned sample, unsigned row,
                                  unsigned inner) const {
    const Row y = rows.of(from, sample, row, inner);
    const Row dy = rows.of(gradient, sample, row, inner);
    const Row dx = rows.of(to.to, sample, row, inner);
    float sum = 0;
    for (unsigned i = team.first(); i < rows.shape.length; i += team.step()) sum += y[i] * dy[i];
    sum = team.sum(sum);
    for (unsigned i = team.first(); i < rows.shape.length; i += team.step()) {
      put(dx[i], y[i] * (dy[i] - sum), to.add);
    }
  }
};

// dx = (y - label) / (batch · positions).
struct CrossEntropyBackward {
  Rows rows;
  Slice from;
  Target to;
  float factor;
  template <class Team>
  OOC_KERNEL_CODE void operator()(const Team& team, unsigned sample, unsigned row,
                                  unsigned inner) const {
    const Row y = rows.of(from, sample, row, inner);
    const Row dx = rows.of(to.to, sample, row, inner);
    const unsigned label = (sample + row + inner) % rows.shape.length;
    for (unsigned i = team.first(); i < rows.shape.length; i += team.step()) {
      put(dx[i], (y[i] - (i == label ? 1.0F : 0.0F)) * factor, to.add);
    }
  }
};

template <class Team>
OOC_KERNEL_CODE Statistics row_statistics(const Team& team, const Row& x, unsigned length) {
  float sums[2] = {};
  const float first = x[0];
  for (unsigned i = team.first(); i < length; i += team.step()) {
    const float d = x[i] - first;
    sums[0] += d;
    sums[1] += d * d;
  }
  sums[0] = team.sum(sums[0]);
  sums[1] = team.sum(sums[1]);
  return statistics(sums, first, static_cast<float>(length));
}

struct LayerNorm {
  Rows rows;
  Slice from;
  const float* w;
  Slice to;
  template <class Team>
  OOC_KERNEL_CODE void operator()(const Team& team, unsigned sample, unsigned row,
                                  unsigned inner) const {
    const Row x = rows.of(from, sample, row, inner);
    const Row y = rows.of(to, sample, row, inner);
    const unsigned length = rows.shape.length;
    const Statistics s = row_statistics(team, x, length);
    for (unsigned i = team.first(); i < length; i += team.step()) {
      y[i] = (x[i] - s.mean) * s.inverse * w[i] + w[length + i];
    }
  }
};

// Parameters' gradients by atomic additions, a pair an element: slower than memory allows; no shipped network has
// layer norms.
struct LayerNormBackward {
  Rows rows;
  Slice from;
  Slice gradient;
  const float* w;
  float* dw;
  Target to;
  template <class Team>
  OOC_KERNEL_CODE void operator()(const Team& team, unsigned sample, unsigned row,
                                  unsigned inner) const {
    const Row x = rows.of(from, sample, row, inner);
    const Row dy = rows.of(gradient, sample, row, inner);
    const unsigned length = rows.shape.length;
    const Statistics s = row_statistics(team, x, length);
    float sum = 0;
    float product = 0;
    for (unsigned i = team.first(); i < length; i += team.step()) {
      const float normal = (x[i] - s.mean) * s.inverse;
      sum += dy[i] * w[i];
      product += dy[i] * w[i] * normal;
      team.add(&dw[i], dy[i] * normal);
      team.add(&dw[length + i], dy[i]);
    }
    const float mean = team.sum(sum) / static_cast<float>(length);
    const float slope = team.sum(product) / static_cast<float>(length);
    if (to.to.data == nullptr) return;
    const Row dx = rows.of(to.to, sample, row, inner);
    for (unsigned i = team.first(); i < length; i += team.step()) {
      const float normal = (x[i] - s.mean) * s.inverse;
      put(dx[i], s.inverse * (dy[i] * w[i] - mean - normal * slope), to.add);
    }
  }
};

inline double row_bytes(RowShape shape, double tensors) {
  return 4 * tensors * static_cast<double>(shape.samples) * shape.rows * shape.length * shape.inner;
}

}  // namespace bodies

cudaError_t launch_layer_norm(cudaStream_t stream, RowShape shape, Slice x, const float* w,
                              Slice y) {
  return engine::rows(stream, shape, bodies::LayerNorm{{shape}, x, w, y},
                      bodies::row_bytes(shape, 2));
}

cudaError_t launch_layer_norm_backward(cudaStream_t stream, RowShape shape, Slice x, Slice dy,
                                       const float* w, float* dw, Target dx) {
  const cudaError_t cleared = cudaMemsetAsync(dw, 0, 2 * sizeof(float) * shape.length, stream);
  if (cleared != cudaSuccess) return cleared;
  return engine::rows(stream, shape, bodies::LayerNormBackward{{shape}, x, dy, w, dw, dx},
                      bodies::row_bytes(shape, 3));
}

cudaError_t launch_softmax(cudaStream_t stream, RowShape shape, Slice x, Slice y) {
  return engine::rows(stream, shape, bodies::Softmax{{shape}, x, y}, bodies::row_bytes(shape, 2));
}

cudaError_t launch_softmax_backward(cudaStream_t stream, RowShape shape, Slice y, Slice dy,
                                    Target dx) {
  return engine::rows(stream, shape, bodies::SoftmaxBackward{{shape}, y, dy, dx},
                      bodies::row_bytes(shape, 3));
}

cudaError_t launch_cross_entropy_backward(cudaStream_t stream, RowShape shape, Slice y, Target dx) {
  const double count = static_cast<double>(shape.samples) * shape.rows * shape.inner;
  return engine::rows(stream, shape,
                      bodies::CrossEntropyBackward{{shape}, y, dx, static_cast<float>(1 / count)},
                      bodies::row_bytes(shape, 2));
}

}  // namespace ooc::gpu
