// Matrix products and convolutions on the fake device: they last FLOP over `flops`, and small ones in float32 are
// calculated (products.hpp). Two invented convolution algorithms, one slow without workspace and one twice as
// fast with it.
#include "calibrate/gpu/libraries.hpp"

#include <functional>
#include <utility>

#include "calibrate/gpu/stub/device.hpp"
#include "calibrate/gpu/stub/products.hpp"

namespace ooc::gpu {
namespace {

constexpr double kMostCalculated = 4e6;  // FLOP

void launch_flops(cudaStream_t stream, double flops, std::function<void()> effect) {
  static_cast<void>(stub::launch(stream, stub::Work::kKernel, flops / stub::settings().flops * 1e9,
                                 std::move(effect)));
}

}  // namespace

bool gemm_available() { return true; }

Runner prepare_gemm(const GemmShape& shape, const void* a, const void* b, void* c) {
  const bool plain = shape.precision == Precision::kFloat32;
  const double flops = 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
                       static_cast<double>(shape.k);
  std::function<void()> effect;
  if (plain && flops <= kMostCalculated) {
    effect = [=] {
      stub::multiply(shape, static_cast<const float*>(a), static_cast<const float*>(b),
                     static_cast<float*>(c));
    };
  }
  const double work = plain ? flops : flops / 4;
  return [=](cudaStream_t stream) { launch_flops(stream, work, effect); };
}

bool convolution_available() { return true; }

std::vector<ConvolutionAlgorithm> convolution_algorithms(const ConvolutionShape& shape, Pass pass) {
  const double flops = 2.0 * static_cast<double>(shape.output_elements()) *
                       (static_cast<double>(shape.weight_elements()) / shape.filters);
  const bool calculated = shape.precision == Precision::kFloat32 && flops <= kMostCalculated;
  const auto run = [=](double work) {
    return [=](cudaStream_t stream, const ConvolutionBuffers& buffers, void*) {
      std::function<void()> effect;
      if (calculated) effect = [=] { stub::convolve(shape, pass, buffers); };
      launch_flops(stream, work, effect);
    };
  };
  const auto columns = static_cast<std::size_t>(shape.input_elements()) * 4;
  return {{"stub_direct", 0, run(2 * flops)}, {"stub_columns", columns, run(flops)}};
}

}  // namespace ooc::gpu
