// Matrix products and convolutions on the fake device: durations only, FLOP over `flops`. Two invented
// convolution algorithms, one slow without workspace and one twice as fast with it.
#include "calibrate/gpu/libraries.hpp"

#include "calibrate/gpu/stub/device.hpp"

namespace ooc::gpu {
namespace {

void launch_flops(cudaStream_t stream, double flops) {
  static_cast<void>(
      stub::launch(stream, stub::Work::kKernel, flops / stub::settings().flops * 1e9, {}));
}

}  // namespace

bool gemm_available() { return true; }

Runner prepare_gemm(const GemmShape& shape, const void*, const void*, void*) {
  const double factor = shape.precision == Precision::kFloat32 ? 1 : 4;
  const double flops = 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
                       static_cast<double>(shape.k) / factor;
  return [flops](cudaStream_t stream) { launch_flops(stream, flops); };
}

bool convolution_available() { return true; }

std::vector<ConvolutionAlgorithm> convolution_algorithms(const ConvolutionShape& shape, Pass) {
  const double flops = 2.0 * static_cast<double>(shape.output_elements()) *
                       (static_cast<double>(shape.weight_elements()) / shape.filters);
  const auto run = [](double work) {
    return [work](cudaStream_t stream, const ConvolutionBuffers&, void*) {
      launch_flops(stream, work);
    };
  };
  const auto columns = static_cast<std::size_t>(shape.input_elements()) * 4;
  return {{"stub_direct", 0, run(2 * flops)}, {"stub_columns", columns, run(flops)}};
}

}  // namespace ooc::gpu
