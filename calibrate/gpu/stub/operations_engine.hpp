// How bodies become work on the stub device: as plain loops, where the tensors are small enough that tests look at
// them, and a time in any case, bytes over `near_rate`. See operations/engine.cuh.
#pragma once

#include <vector>

#include "calibrate/gpu/operations/kernels.hpp"
#include "calibrate/gpu/stub/device.hpp"

namespace ooc::gpu::engine {

// Above so many elements nothing is calculated: whole networks are run here for their order and their times.
inline constexpr std::size_t kMostCalculated = std::size_t{1} << 18;

template <class Effect>
cudaError_t last(cudaStream_t stream, std::size_t elements, double bytes, Effect effect) {
  const cudaError_t fault = static_cast<cudaError_t>(stub::next_fault("kernel").code);
  if (fault != cudaSuccess) return fault;
  const double ns = bytes / stub::settings().near_rate * 1e9;
  if (elements > kMostCalculated) return stub::launch(stream, stub::Work::kMemoryKernel, ns, {});
  return stub::launch(stream, stub::Work::kMemoryKernel, ns, effect);
}

inline float* coefficients() {
  static std::vector<float> numbers(3 * kMostChannels);
  return numbers.data();
}

template <class Body>
cudaError_t each(cudaStream_t stream, Batch batch, Target target, Body body, double bytes) {
  return last(stream, std::size_t{batch.samples} * batch.elements, bytes, [=] {
    for (unsigned sample = 0; sample < batch.samples; ++sample) {
      float* const out = target.to.data + sample * target.to.stride;
      for (unsigned at = 0; at < batch.elements; ++at) {
        const float value = body(sample, at);
        out[at] = target.add ? out[at] + value : value;
      }
    }
  });
}

template <class Body, class Finish>
cudaError_t channel_sums(cudaStream_t stream, ChannelShape shape, Body body, Finish finish,
                         double bytes) {
  const std::size_t elements = std::size_t{shape.samples} * shape.channels * shape.positions;
  return last(stream, elements, bytes, [=] {
    for (unsigned channel = 0; channel < shape.channels; ++channel) {
      float sums[Body::kSums] = {};
      for (unsigned sample = 0; sample < shape.samples; ++sample) {
        for (unsigned at = 0; at < shape.positions; ++at) body(sample, channel, at, sums);
      }
      finish(channel, sums);
    }
  });
}

struct OneTeam {
  unsigned first() const { return 0; }
  unsigned step() const { return 1; }
  float sum(float value) const { return value; }
  float largest(float value) const { return value; }
  void add(float* to, float value) const { *to += value; }
};

template <class Body>
cudaError_t rows(cudaStream_t stream, RowShape shape, Body body, double bytes) {
  const std::size_t elements = std::size_t{shape.samples} * shape.rows * shape.length * shape.inner;
  return last(stream, elements, bytes, [=] {
    for (unsigned sample = 0; sample < shape.samples; ++sample) {
      for (unsigned row = 0; row < shape.rows; ++row) {
        for (unsigned i = 0; i < shape.inner; ++i) body(OneTeam{}, sample, row, i);
      }
    }
  });
}

}  // namespace ooc::gpu::engine
