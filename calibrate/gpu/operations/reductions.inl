// The operations that need sums over a channel: batch norm, the gradients of biases. See operations/kernels.hpp;
// included by operations/kernels.cu and stub/operations_kernels.cpp alone.
#pragma once

#include "calibrate/gpu/operations/elementwise.inl"

namespace ooc::gpu {
namespace bodies {

constexpr float kEpsilon = 1e-5F;

// Where element `position` of `channel` lies.
struct ChannelView {
  Slice slice;
  unsigned positions;
  OOC_KERNEL_CODE float at(unsigned sample, unsigned channel, unsigned position) const {
    return slice.data[sample * slice.stride + std::size_t{channel} * positions + position];
  }
};

struct PlainSum {
  static constexpr int kSums = 1;
  ChannelView x;
  OOC_KERNEL_CODE void operator()(unsigned sample, unsigned channel, unsigned position,
                                  float* sums) const {
    sums[0] += x.at(sample, channel, position);
  }
};

struct StoreSum {
  float* to;
  OOC_KERNEL_CODE void operator()(unsigned channel, const float* sums) const {
    to[channel] = sums[0];
  }
};

// Σ d and Σ d² of d = x - first x of the channel: differences keep their digits where the mean is large.
struct Moments {
  static constexpr int kSums = 2;
  ChannelView x;
  OOC_KERNEL_CODE void operator()(unsigned sample, unsigned channel, unsigned position,
                                  float* sums) const {
    const float d = x.at(sample, channel, position) - x.at(0, channel, 0);
    sums[0] += d;
    sums[1] += d * d;
  }
};

struct Statistics {
  float mean_difference;  // mean - first x
  float mean;
  float inverse;  // 1 / deviation
};

OOC_KERNEL_CODE inline Statistics statistics(const float* sums, float first, float count) {
  const float mean = sums[0] / count;
  const float variance = sums[1] / count - mean * mean;
  return {mean, mean + first, 1.0F / sqrtf((variance > 0 ? variance : 0.0F) + kEpsilon)};
}

// y = x · coefficient 0 + coefficient 1.
struct BatchNormFinish {
  ChannelView x;
  const float* w;
  unsigned channels;
  float count;
  float* coefficients;
  OOC_KERNEL_CODE void operator()(unsigned channel, const float* sums) const {
    const Statistics s = statistics(sums, x.at(0, channel, 0), count);
    const float scale = w[channel] * s.inverse;
    coefficients[2 * channel] = scale;
    coefficients[2 * channel + 1] = w[channels + channel] - s.mean * scale;
  }
};

struct BatchNormApply {
  Slice x;
  Divider positions;
  const float* coefficients;
  OOC_KERNEL_CODE float operator()(unsigned sample, unsigned at) const {
    const float* const c = coefficients + 2 * positions.quotient(at);
    return element(x, sample, at) * c[0] + c[1];
  }
};

struct GradientMoments {
  static constexpr int kSums = 4;
  ChannelView x;
  ChannelView dy;
  OOC_KERNEL_CODE void operator()(unsigned sample, unsigned channel, unsigned position,
                                  float* sums) const {
    const float d = x.at(sample, channel, position) - x.at(0, channel, 0);
    const float gradient = dy.at(sample, channel, position);
    sums[0] += d;
    sums[1] += d * d;
    sums[2] += gradient;
    sums[3] += gradient * d;
  }
};

// dx = gamma / σ · (dy - mean of dy - x̂ · mean of dy x̂), written as dy · c0 + x · c1 + c2.
struct BatchNormGradientFinish {
  ChannelView x;
  const float* w;
  float* dw;
  unsigned channels;
  float count;
  float* coefficients;
  OOC_KERNEL_CODE void operator()(unsigned channel, const float* sums) const {
    const Statistics s = statistics(sums, x.at(0, channel, 0), count);
    const float d_beta = sums[2];
    const float d_gamma = (sums[3] - s.mean_difference * sums[2]) * s.inverse;
    const float scale = w[channel] * s.inverse;
    const float slope = -scale * s.inverse * d_gamma / count;
    coefficients[3 * channel] = scale;
    coefficients[3 * channel + 1] = slope;
    coefficients[3 * channel + 2] = -scale * d_beta / count - slope * s.mean;
    dw[channel] = d_gamma;
    dw[channels + channel] = d_beta;
  }
};

struct BatchNormGradientApply {
  Slice x;
  Slice dy;
  Divider positions;
  const float* coefficients;
  OOC_KERNEL_CODE float operator()(unsigned sample, unsigned at) const {
    const float* const c = coefficients + 3 * positions.quotient(at);
    return element(dy, sample, at) * c[0] + element(x, sample, at) * c[1] + c[2];
  }
};

inline float count_of(ChannelShape shape) {
  return static_cast<float>(shape.samples) * static_cast<float>(shape.positions);
}

}  // namespace bodies

cudaError_t launch_channel_sum(cudaStream_t stream, ChannelShape shape, Slice x, float* sums) {
  return engine::channel_sums(stream, shape, bodies::PlainSum{{x, shape.positions}},
                              bodies::StoreSum{sums},
                              bodies::traffic(bodies::batch_of(shape), 1, false));
}

cudaError_t launch_batch_norm_forward(cudaStream_t stream, ChannelShape shape, Slice x,
                                      const float* w, Slice y) {
  const Batch batch = bodies::batch_of(shape);
  const bodies::ChannelView view{x, shape.positions};
  float* const coefficients = engine::coefficients();
  const cudaError_t summed = engine::channel_sums(
      stream, shape, bodies::Moments{view},
      bodies::BatchNormFinish{view, w, shape.channels, bodies::count_of(shape), coefficients},
      bodies::traffic(batch, 1, false));
  if (summed != cudaSuccess) return summed;
  return engine::each(stream, batch, {y, false},
                      bodies::BatchNormApply{x, Divider(shape.positions), coefficients},
                      bodies::traffic(batch, 2, false));
}

cudaError_t launch_batch_norm_gradients(cudaStream_t stream, ChannelShape shape, Slice x, Slice dy,
                                        const float* w, float* dw, Target dx) {
  const Batch batch = bodies::batch_of(shape);
  const bodies::ChannelView view{x, shape.positions};
  float* const coefficients = engine::coefficients();
  const cudaError_t summed =
      engine::channel_sums(stream, shape, bodies::GradientMoments{view, {dy, shape.positions}},
                           bodies::BatchNormGradientFinish{view, w, dw, shape.channels,
                                                           bodies::count_of(shape), coefficients},
                           bodies::traffic(batch, 2, false));
  if (summed != cudaSuccess || dx.to.data == nullptr) return summed;
  return engine::each(stream, batch, dx,
                      bodies::BatchNormGradientApply{x, dy, Divider(shape.positions), coefficients},
                      bodies::traffic(batch, 3, dx.add));
}

}  // namespace ooc::gpu
