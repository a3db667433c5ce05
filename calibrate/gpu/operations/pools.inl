// Pools. Gradients are gathered, each element of dx from the windows that cover it: nothing to clear before, no
// atomics, and adding costs no pass of its own. See operations/kernels.hpp; included by operations/kernels.cu
// and stub/operations_kernels.cpp alone.
#pragma once

#include "calibrate/gpu/operations/elementwise.inl"

namespace ooc::gpu {
namespace bodies {

// Which channel and pixel element `at` of a sample is.
struct Places {
  Divider pixels;
  Divider width;
  Places(int height, int wide)
      : pixels(static_cast<unsigned>(height * wide)), width(static_cast<unsigned>(wide)) {}
  struct Place {
    unsigned channel;
    int row;
    int column;
  };
  OOC_KERNEL_CODE Place of(unsigned at) const {
    const unsigned channel = pixels.quotient(at);
    const unsigned pixel = at - channel * pixels.divisor;
    const unsigned row = width.quotient(pixel);
    return {channel, static_cast<int>(row), static_cast<int>(pixel - row * width.divisor)};
  }
};

OOC_KERNEL_CODE inline const float* plane(const Slice& slice, unsigned sample, unsigned channel,
                                          int height, int width) {
  return slice.data + sample * slice.stride +
         std::size_t{channel} * static_cast<unsigned>(height * width);
}

template <bool kAdaptive>
OOC_KERNEL_CODE inline Range window_at(const WindowDim& dim, int o) {
  return kAdaptive ? adaptive_pixels_under(dim, o) : pixels_under(dim, o);
}

template <bool kAdaptive>
OOC_KERNEL_CODE inline Range windows_over(const WindowDim& dim, int i) {
  return kAdaptive ? adaptive_positions_over(dim, i) : positions_over(dim, i);
}

struct MaxPool {
  WindowDim y;
  WindowDim x;
  Slice from;
  Places out;
  OOC_KERNEL_CODE float operator()(unsigned sample, unsigned at) const {
    const auto place = out.of(at);
    const float* const image = plane(from, sample, place.channel, y.size, x.size);
    const Range rows = pixels_under(y, place.row);
    const Range columns = pixels_under(x, place.column);
    float best = -INFINITY;
    for (int row = rows.begin; row < rows.end; ++row) {
      for (int column = columns.begin; column < columns.end; ++column) {
        best = fmaxf(best, image[row * x.size + column]);
      }
    }
    return best;
  }
};

// The gradient goes to the first of equal maxima, as in frameworks that keep its index.
struct MaxPoolBackward {
  WindowDim y;
  WindowDim x;
  Slice input;
  Slice output;
  Slice dy;
  Places in;

  // Whether no pixel of the window before (row, column) has the value `best`.
  OOC_KERNEL_CODE bool is_first(const float* image, int oy, int ox, int row, int column,
                                float best) const {
    const int top = pixels_under(y, oy).begin;
    const Range columns = pixels_under(x, ox);
    for (int r = top; r <= row; ++r) {
      const int end = r == row ? column : columns.end;
      for (int c = columns.begin; c < end; ++c) {
        if (image[r * x.size + c] == best) return false;
      }
    }
    return true;
  }

  OOC_KERNEL_CODE float operator()(unsigned sample, unsigned at) const {
    const auto place = in.of(at);
    const float* const image = plane(input, sample, place.channel, y.size, x.size);
    const float* const best = plane(output, sample, place.channel, y.out, x.out);
    const float* const gradient = plane(dy, sample, place.channel, y.out, x.out);
    const float value = image[place.row * x.size + place.column];
    const Range rows = positions_over(y, place.row);
    const Range columns = positions_over(x, place.column);
    float sum = 0;
    for (int oy = rows.begin; oy < rows.end; ++oy) {
      for (int ox = columns.begin; ox < columns.end; ++ox) {
        const int o = oy * x.out + ox;
        if (best[o] == value && is_first(image, oy, ox, place.row, place.column, value)) {
          sum += gradient[o];
        }
      }
    }
    return sum;
  }
};

// Sliding windows divide by the kernel's area, adaptive ones by their own.
template <bool kAdaptive>
OOC_KERNEL_CODE inline float area_share(const WindowDim& y, const WindowDim& x, int oy, int ox) {
  if (!kAdaptive) return 1.0F / static_cast<float>(y.kernel * x.kernel);
  const Range rows = adaptive_pixels_under(y, oy);
  const Range columns = adaptive_pixels_under(x, ox);
  return 1.0F / static_cast<float>((rows.end - rows.begin) * (columns.end - columns.begin));
}

template <bool kAdaptive>
struct AveragePool {
  WindowDim y;
  WindowDim x;
  Slice from;
  Places out;
  OOC_KERNEL_CODE float operator()(unsigned sample, unsigned at) const {
    const auto place = out.of(at);
    const float* const image = plane(from, sample, place.channel, y.size, x.size);
    const Range rows = window_at<kAdaptive>(y, place.row);
    const Range columns = window_at<kAdaptive>(x, place.column);
    float sum = 0;
    for (int row = rows.begin; row < rows.end; ++row) {
      for (int column = columns.begin; column < columns.end; ++column) {
        sum += image[row * x.size + column];
      }
    }
    return sum * area_share<kAdaptive>(y, x, place.row, place.column);
  }
};

template <bool kAdaptive>
struct AveragePoolBackward {
  WindowDim y;
  WindowDim x;
  Slice dy;
  Places in;
  OOC_KERNEL_CODE float operator()(unsigned sample, unsigned at) const {
    const auto place = in.of(at);
    const float* const gradient = plane(dy, sample, place.channel, y.out, x.out);
    const Range rows = windows_over<kAdaptive>(y, place.row);
    const Range columns = windows_over<kAdaptive>(x, place.column);
    float sum = 0;
    for (int oy = rows.begin; oy < rows.end; ++oy) {
      for (int ox = columns.begin; ox < columns.end; ++ox) {
        sum += gradient[oy * x.out + ox] * area_share<kAdaptive>(y, x, oy, ox);
      }
    }
    return sum;
  }
};

inline Batch inputs_of(const PoolShape& s) {
  return {s.samples, s.channels * static_cast<unsigned>(s.y.size * s.x.size)};
}
inline Batch outputs_of(const PoolShape& s) {
  return {s.samples, s.channels * static_cast<unsigned>(s.y.out * s.x.out)};
}
inline double touched_bytes(const PoolShape& s) {
  return 4 * (elements_of(inputs_of(s)) + elements_of(outputs_of(s)));
}
}  // namespace bodies

cudaError_t launch_pool(cudaStream_t stream, Pool pool, const PoolShape& shape, Slice x, Slice y) {
  const bodies::Places out(shape.y.out, shape.x.out);
  const Batch batch = bodies::outputs_of(shape);
  const double bytes = bodies::touched_bytes(shape);
  switch (pool) {
    case Pool::kMax:
      return engine::each(stream, batch, {y, false}, bodies::MaxPool{shape.y, shape.x, x, out},
                          bytes);
    case Pool::kAverage:
      return engine::each(stream, batch, {y, false},
                          bodies::AveragePool<false>{shape.y, shape.x, x, out}, bytes);
    case Pool::kAdaptive:
      break;
  }
  return engine::each(stream, batch, {y, false},
                      bodies::AveragePool<true>{shape.y, shape.x, x, out}, bytes);
}

cudaError_t launch_pool_backward(cudaStream_t stream, Pool pool, const PoolShape& shape, Slice x,
                                 Slice y, Slice dy, Target dx) {
  const bodies::Places in(shape.y.size, shape.x.size);
  const Batch batch = bodies::inputs_of(shape);
  const double bytes = bodies::touched_bytes(shape) + (dx.add ? 4 * bodies::elements_of(batch) : 0);
  switch (pool) {
    case Pool::kMax:
      return engine::each(stream, batch, dx,
                          bodies::MaxPoolBackward{shape.y, shape.x, x, y, dy, in}, 2 * bytes);
    case Pool::kAverage:
      return engine::each(stream, batch, dx,
                          bodies::AveragePoolBackward<false>{shape.y, shape.x, dy, in}, bytes);
    case Pool::kAdaptive:
      break;
  }
  return engine::each(stream, batch, dx,
                      bodies::AveragePoolBackward<true>{shape.y, shape.x, dy, in}, bytes);
}

}  // namespace ooc::gpu
