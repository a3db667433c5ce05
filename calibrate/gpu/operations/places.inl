// What moves numbers between places or looks at neighbours: upsampling, ranges, transposition, local response
// normalisation. Gradients are gathered, as those of pools. See operations/kernels.hpp; included by
// operations/kernels.cu and stub/operations_kernels.cpp alone.
#pragma once

#include "calibrate/gpu/operations/pools.inl"

namespace ooc::gpu {
namespace bodies {

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

inline Batch image_batch(const UpsampleShape& s, int factor) {
  return {s.samples, s.channels * static_cast<unsigned>(s.height * s.width * factor)};
}

}  // namespace bodies

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
