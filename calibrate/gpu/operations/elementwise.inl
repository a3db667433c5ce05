// The operations whose elements have nothing to do with each other. See operations/kernels.hpp; included by
// operations/kernels.cu and stub/operations_kernels.cpp alone.
#pragma once

#include "calibrate/gpu/operations/engine.hpp"

namespace ooc::gpu {
namespace bodies {

OOC_KERNEL_CODE inline float element(const Slice& slice, unsigned sample, unsigned at) {
  return slice.data[sample * slice.stride + at];
}

inline double elements_of(Batch batch) {
  return static_cast<double>(batch.samples) * static_cast<double>(batch.elements);
}

inline Batch batch_of(ChannelShape shape) {
  return {shape.samples, shape.channels * shape.positions};
}

// What the stub needs to know: float32 tensors that are read or written, the target twice if it is added to.
inline double traffic(Batch batch, double tensors, bool add) {
  return 4 * elements_of(batch) * (tensors + (add ? 1 : 0));
}

struct ActivationForward {
  Activation kind;
  Slice x;
  OOC_KERNEL_CODE float operator()(unsigned sample, unsigned at) const {
    return activate(kind, element(x, sample, at));
  }
};

struct ActivationBackward {
  Activation kind;
  Slice saved;
  Slice dy;
  OOC_KERNEL_CODE float operator()(unsigned sample, unsigned at) const {
    return element(dy, sample, at) * activation_slope(kind, element(saved, sample, at));
  }
};

struct DropoutForward {
  std::uint32_t seed;
  unsigned elements;
  Slice x;
  unsigned char* mask;
  OOC_KERNEL_CODE float operator()(unsigned sample, unsigned at) const {
    const std::size_t place = std::size_t{sample} * elements + at;
    const unsigned keep = random_bits(static_cast<std::uint32_t>(place), seed) >> 31;
    mask[place] = static_cast<unsigned char>(keep);
    return keep != 0 ? 2.0F * element(x, sample, at) : 0.0F;
  }
};

struct DropoutBackward {
  unsigned elements;
  const unsigned char* mask;
  Slice dy;
  OOC_KERNEL_CODE float operator()(unsigned sample, unsigned at) const {
    const float gradient = element(dy, sample, at);
    return mask[std::size_t{sample} * elements + at] != 0 ? 2.0F * gradient : 0.0F;
  }
};

struct Sum {
  Inputs inputs;
  OOC_KERNEL_CODE float operator()(unsigned sample, unsigned at) const {
    float sum = element(inputs.from[0], sample, at);
    for (int i = 1; i < inputs.count; ++i) sum += element(inputs.from[i], sample, at);
    return sum;
  }
};

// A product of inputs, of which some have one number a channel; `but` is left out.
struct Product {
  Inputs inputs;
  int but;
  Divider positions;
  OOC_KERNEL_CODE float operator()(unsigned sample, unsigned at) const {
    float product = 1.0F;
    for (int i = 0; i < inputs.count; ++i) {
      if (i == but) continue;
      const bool spread = (inputs.spread >> i & 1U) != 0;
      product *= element(inputs.from[i], sample, spread ? positions.quotient(at) : at);
    }
    return product;
  }
};

struct ProductBackward {
  Product others;
  Slice dy;
  OOC_KERNEL_CODE float operator()(unsigned sample, unsigned at) const {
    return element(dy, sample, at) * others(sample, at);
  }
};

// Of an input with one number a channel: the sum over the positions.
struct SpreadProductBackward {
  ProductBackward each;
  unsigned positions;
  OOC_KERNEL_CODE float operator()(unsigned sample, unsigned channel) const {
    float sum = 0;
    for (unsigned i = 0; i < positions; ++i) sum += each(sample, channel * positions + i);
    return sum;
  }
};

struct Bias {
  const float* bias;
  Divider positions;
  OOC_KERNEL_CODE float operator()(unsigned, unsigned at) const {
    return bias[positions.quotient(at)];
  }
};

struct Random {
  std::uint32_t seed;
  float middle;
  float half;
  OOC_KERNEL_CODE float operator()(unsigned, unsigned at) const {
    return middle + half * random_number(at, seed);
  }
};

// One step each. Rates as docs/replay-operations.md has them.
struct SgdStep {
  const float* dw;
  OOC_KERNEL_CODE float operator()(unsigned, unsigned at) const { return -1e-3F * dw[at]; }
};

struct MomentumStep {
  const float* dw;
  float* velocity;
  OOC_KERNEL_CODE float operator()(unsigned, unsigned at) const {
    const float v = 0.9F * velocity[at] + dw[at];
    velocity[at] = v;
    return -1e-3F * v;
  }
};

struct AdamStep {
  const float* dw;
  float* first;
  float* second;
  float correction_first;  // 1 / (1 - 0.9^step)
  float correction_second;
  OOC_KERNEL_CODE float operator()(unsigned, unsigned at) const {
    const float gradient = dw[at];
    const float m = 0.9F * first[at] + 0.1F * gradient;
    const float v = 0.999F * second[at] + 0.001F * gradient * gradient;
    first[at] = m;
    second[at] = v;
    return -1e-3F * (m * correction_first) / (sqrtf(v * correction_second) + 1e-8F);
  }
};

}  // namespace bodies

cudaError_t launch_activation(cudaStream_t stream, Activation kind, Batch batch, Slice x, Slice y) {
  return engine::each(stream, batch, {y, false}, bodies::ActivationForward{kind, x},
                      bodies::traffic(batch, 2, false));
}

cudaError_t launch_activation_backward(cudaStream_t stream, Activation kind, Batch batch,
                                       Slice saved, Slice dy, Target dx) {
  return engine::each(stream, batch, dx, bodies::ActivationBackward{kind, saved, dy},
                      bodies::traffic(batch, 3, dx.add));
}

cudaError_t launch_dropout(cudaStream_t stream, Batch batch, std::uint32_t seed, Slice x, Slice y,
                           unsigned char* mask) {
  return engine::each(stream, batch, {y, false},
                      bodies::DropoutForward{seed, batch.elements, x, mask},
                      bodies::traffic(batch, 2.25, false));
}

cudaError_t launch_dropout_backward(cudaStream_t stream, Batch batch, const unsigned char* mask,
                                    Slice dy, Target dx) {
  return engine::each(stream, batch, dx, bodies::DropoutBackward{batch.elements, mask, dy},
                      bodies::traffic(batch, 2.25, dx.add));
}

cudaError_t launch_sum(cudaStream_t stream, Batch batch, const Inputs& inputs, Target y) {
  return engine::each(stream, batch, y, bodies::Sum{inputs},
                      bodies::traffic(batch, inputs.count + 1, y.add));
}

cudaError_t launch_multiply(cudaStream_t stream, ChannelShape shape, const Inputs& x, Slice y) {
  const Batch batch = bodies::batch_of(shape);
  return engine::each(stream, batch, {y, false}, bodies::Product{x, -1, Divider(shape.positions)},
                      bodies::traffic(batch, x.count + 1, false));
}

cudaError_t launch_multiply_backward(cudaStream_t stream, ChannelShape shape, const Inputs& x,
                                     int of, Slice dy, Target dx) {
  const Batch batch = bodies::batch_of(shape);
  const bodies::ProductBackward body{{x, of, Divider(shape.positions)}, dy};
  const double bytes = bodies::traffic(batch, x.count + 1, dx.add);
  if ((x.spread >> of & 1U) == 0) return engine::each(stream, batch, dx, body, bytes);
  return engine::each(stream, {shape.samples, shape.channels}, dx,
                      bodies::SpreadProductBackward{body, shape.positions}, bytes);
}

cudaError_t launch_bias(cudaStream_t stream, ChannelShape shape, const float* bias, Slice y) {
  const Batch batch = bodies::batch_of(shape);
  return engine::each(stream, batch, {y, true}, bodies::Bias{bias, Divider(shape.positions)},
                      bodies::traffic(batch, 1, true));
}

cudaError_t launch_random(cudaStream_t stream, float* numbers, std::size_t count,
                          std::uint32_t seed, float low, float high) {
  const Batch batch{1, static_cast<unsigned>(count)};
  return engine::each(stream, batch, {{numbers, 0}, false},
                      bodies::Random{seed, (low + high) / 2, (high - low) / 2},
                      bodies::traffic(batch, 1, false));
}

cudaError_t launch_update(cudaStream_t stream, Update update, std::size_t count, std::int64_t step,
                          float* w, const float* dw, float* state) {
  const Batch batch{1, static_cast<unsigned>(count)};
  const Target to{{w, 0}, true};
  switch (update) {
    case Update::kSgd:
      return engine::each(stream, batch, to, bodies::SgdStep{dw}, bodies::traffic(batch, 2, true));
    case Update::kMomentum:
      return engine::each(stream, batch, to, bodies::MomentumStep{dw, state},
                          bodies::traffic(batch, 4, true));
    case Update::kAdam:
      break;
  }
  const double n = static_cast<double>(step);
  const auto correction = [n](double decay) {
    return static_cast<float>(1 / (1 - std::pow(decay, n)));
  };
  return engine::each(
      stream, batch, to,
      bodies::AdamStep{dw, state, state + count, correction(0.9), correction(0.999)},
      bodies::traffic(batch, 6, true));
}

}  // namespace ooc::gpu
