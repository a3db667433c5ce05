// Pools and what else moves numbers between places of an image. Gradients are gathered, each element of dx from
// the windows that cover it: nothing to clear before, no atomics, and adding costs no pass of its own. See
// operations_kernels.hpp; included by operations_kernels.cu and stub/operations_kernels.cpp alone.
#pragma once

#include "calibrate/gpu/operations_elementwise.inl"

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

struct Upsample {
  UpsampleShape shape;
  Slice x;
  Places out;
  OOC_KERNEL_CODE float operator()(unsigned sample, unsigned at) const {
    const auto place = out.of(at);
    const float* const image = plane(x, sample, place.channel, shape.height, shape.width);
    if (!shape.bilinear) {
      return image[place.row / shape.scale_h * shape.width + place.column / shape.scale_w];
    }
    const Between r = between(place.row, shape.scale_h, shape.height);
    const Between c = between(place.column, shape.scale_w, shape.width);
    const float* const upper = image + r.first * shape.width;
    const float* const lower = image + r.second * shape.width;
    return (1 - r.share) * ((1 - c.share) * upper[c.first] + c.share * upper[c.second]) +
           r.share * ((1 - c.share) * lower[c.first] + c.share * lower[c.second]);
  }
};

struct UpsampleBackward {
  UpsampleShape shape;
  Slice dy;
  Places in;

  // The positions that may have a share of pixel `i`.
  OOC_KERNEL_CODE Range touched(int i, int scale, int size) const {
    if (!shape.bilinear) return {i * scale, (i + 1) * scale};
    const int begin = (i - 1) * scale;
    const int end = (i + 2) * scale;
    return {begin < 0 ? 0 : begin, end > size * scale ? size * scale : end};
  }

  OOC_KERNEL_CODE float operator()(unsigned sample, unsigned at) const {
    const auto place = in.of(at);
    const int wide = shape.width * shape.scale_w;
    const float* const gradient =
        plane(dy, sample, place.channel, shape.height * shape.scale_h, wide);
    const Range rows = touched(place.row, shape.scale_h, shape.height);
    const Range columns = touched(place.column, shape.scale_w, shape.width);
    float sum = 0;
    for (int r = rows.begin; r < rows.end; ++r) {
      const float row_share =
          shape.bilinear ? share_of(r, place.row, shape.scale_h, shape.height) : 1.0F;
      for (int c = columns.begin; c < columns.end; ++c) {
        const float share =
            shape.bilinear ? share_of(c, place.column, shape.scale_w, shape.width) : 1.0F;
        sum += row_share * share * gradient[r * wide + c];
      }
    }
    return sum;
  }
};

// Of [outer, size, inner] the middle range begin … end - 1.
struct Part {
  Slice x;
  Divider part;  // (end - begin) · inner
  unsigned whole;
  unsigned skip;
  OOC_KERNEL_CODE float operator()(unsigned sample, unsigned at) const {
    const unsigned outer = part.quotient(at);
    return element(x, sample, outer * whole + skip + (at - outer * part.divisor));
  }
};

struct PartBackward {
  Slice dy;
  Divider whole;  // size · inner
  unsigned skip;
  unsigned part;
  OOC_KERNEL_CODE float operator()(unsigned sample, unsigned at) const {
    const unsigned outer = whole.quotient(at);
    const unsigned within = at - outer * whole.divisor;
    if (within < skip || within >= skip + part) return 0.0F;
    return element(dy, sample, outer * part + within - skip);
  }
};

struct Transposed {
  Slice from;
  int rank;
  Divider dims[kMostDims];
  unsigned strides[kMostDims];
  OOC_KERNEL_CODE float operator()(unsigned sample, unsigned at) const {
    unsigned source = 0;
    for (int d = rank - 1; d >= 0; --d) {
      const unsigned rest = dims[d].quotient(at);
      source += (at - rest * dims[d].divisor) * strides[d];
      at = rest;
    }
    return element(from, sample, source);
  }
};

// Local response normalisation: y = x · s^-beta, s = k + alpha / n · sum of x² over n channels.
struct Neighbours {
  unsigned channels;
  unsigned positions;
  int size;
  OOC_KERNEL_CODE Range around(unsigned channel) const {
    const int begin = static_cast<int>(channel) - size / 2;
    const int end = begin + size;
    const int all = static_cast<int>(channels);
    return {begin < 0 ? 0 : begin, end > all ? all : end};
  }
  // `x` is at this sample and position.
  OOC_KERNEL_CODE float scale(const float* x, unsigned channel) const {
    const Range range = around(channel);
    float squares = 0;
    for (int c = range.begin; c < range.end; ++c) {
      const float value = x[static_cast<unsigned>(c) * positions];
      squares += value * value;
    }
    return 2.0F + 1e-4F / static_cast<float>(size) * squares;
  }
};

struct Lrn {
  Neighbours neighbours;
  Divider positions;
  Slice x;
  OOC_KERNEL_CODE float operator()(unsigned sample, unsigned at) const {
    const unsigned channel = positions.quotient(at);
    const float* const column = x.data + sample * x.stride + (at - channel * neighbours.positions);
    return element(x, sample, at) * powf(neighbours.scale(column, channel), -0.75F);
  }
};

// dx_c = dy_c s_c^-beta - 2 alpha beta / n · x_c · sum over the neighbours j of dy_j y_j / s_j.
struct LrnBackward {
  Neighbours neighbours;
  Divider positions;
  Slice x;
  Slice y;
  Slice dy;
  OOC_KERNEL_CODE float operator()(unsigned sample, unsigned at) const {
    const unsigned channel = positions.quotient(at);
    const unsigned position = at - channel * neighbours.positions;
    const float* const column = x.data + sample * x.stride + position;
    // Whose sums have x_c in them: the window turned over, which differs where its size is even.
    const int end = static_cast<int>(channel) + neighbours.size / 2 + 1;
    const int begin = end - neighbours.size;
    const int all = static_cast<int>(neighbours.channels);
    float sum = 0;
    for (int c = begin < 0 ? 0 : begin; c < (end > all ? all : end); ++c) {
      const unsigned j = static_cast<unsigned>(c);
      const unsigned place = j * neighbours.positions + position;
      sum += element(dy, sample, place) * element(y, sample, place) / neighbours.scale(column, j);
    }
    const float own = element(dy, sample, at) * powf(neighbours.scale(column, channel), -0.75F);
    const float factor = 2.0F * 1e-4F * 0.75F / static_cast<float>(neighbours.size);
    return own - factor * element(x, sample, at) * sum;
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
inline Batch image_batch(const UpsampleShape& s, int factor) {
  return {s.samples, s.channels * static_cast<unsigned>(s.height * s.width * factor)};
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

cudaError_t launch_upsample(cudaStream_t stream, const UpsampleShape& shape, Slice x, Slice y) {
  const bodies::Places out(shape.height * shape.scale_h, shape.width * shape.scale_w);
  const Batch batch = bodies::image_batch(shape, shape.scale_h * shape.scale_w);
  return engine::each(stream, batch, {y, false}, bodies::Upsample{shape, x, out},
                      bodies::traffic(batch, 1, false));
}

cudaError_t launch_upsample_backward(cudaStream_t stream, const UpsampleShape& shape, Slice dy,
                                     Target dx) {
  const Batch large = bodies::image_batch(shape, shape.scale_h * shape.scale_w);
  const Batch batch = bodies::image_batch(shape, 1);
  return engine::each(
      stream, batch, dx,
      bodies::UpsampleBackward{shape, dy, bodies::Places(shape.height, shape.width)},
      bodies::traffic(large, 1, false) + bodies::traffic(batch, 1, dx.add));
}

cudaError_t launch_slice(cudaStream_t stream, const SliceShape& s, Slice x, Slice y) {
  const unsigned part = (s.end - s.begin) * s.inner;
  const Batch batch{s.samples, s.outer * part};
  return engine::each(stream, batch, {y, false},
                      bodies::Part{x, Divider(part), s.size * s.inner, s.begin * s.inner},
                      bodies::traffic(batch, 2, false));
}

cudaError_t launch_slice_backward(cudaStream_t stream, const SliceShape& s, Slice dy, Target dx) {
  const Batch batch{s.samples, s.outer * s.size * s.inner};
  return engine::each(stream, batch, dx,
                      bodies::PartBackward{dy, Divider(s.size * s.inner), s.begin * s.inner,
                                           (s.end - s.begin) * s.inner},
                      bodies::traffic(batch, 2, dx.add));
}

cudaError_t launch_transpose(cudaStream_t stream, const TransposeShape& shape, Slice from,
                             Target to) {
  bodies::Transposed body{from, shape.rank, {}, {}};
  Batch batch{shape.samples, 1};
  for (int d = 0; d < shape.rank; ++d) {
    body.dims[d] = Divider(shape.dims[d]);
    body.strides[d] = shape.strides[d];
    batch.elements *= shape.dims[d];
  }
  return engine::each(stream, batch, to, body, bodies::traffic(batch, 2, to.add));
}

cudaError_t launch_lrn(cudaStream_t stream, ChannelShape shape, int size, Slice x, Slice y) {
  const Batch batch = bodies::batch_of(shape);
  return engine::each(
      stream, batch, {y, false},
      bodies::Lrn{{shape.channels, shape.positions, size}, Divider(shape.positions), x},
      bodies::traffic(batch, 2, false));
}

cudaError_t launch_lrn_backward(cudaStream_t stream, ChannelShape shape, int size, Slice x, Slice y,
                                Slice dy, Target dx) {
  const Batch batch = bodies::batch_of(shape);
  return engine::each(
      stream, batch, dx,
      bodies::LrnBackward{
          {shape.channels, shape.positions, size}, Divider(shape.positions), x, y, dy},
      bodies::traffic(batch, 4, dx.add));
}

}  // namespace ooc::gpu
