#include "calibrate/fit/operation_prices.hpp"

#include <cmath>

#include "model/kernels/convolution.hpp"

namespace ooc {
namespace {

double convolution_seconds(const MeasuredOperation& row, ConvolutionPass pass,
                           const KernelPlatform& platform) {
  const ConvolutionTimes times = convolution_times(
      {.shape = &row.shape, .pass = pass, .batch = row.batch, .dtype = row.dtype}, platform);
  // Who measures tensor cores asks for them, even where other units would be faster.
  return std::isfinite(times.tensor) ? times.tensor : times.fastest();
}

double convolution_seconds(const MeasuredOperation& row, const KernelPlatform& platform) {
  switch (row.pass) {
    case OperationPass::kForward:
      return convolution_seconds(row, ConvolutionPass::kForward, platform);
    case OperationPass::kBackwardData:
      return convolution_seconds(row, ConvolutionPass::kBackwardData, platform);
    case OperationPass::kBackwardWeights:
      return convolution_seconds(row, ConvolutionPass::kBackwardWeights, platform);
    case OperationPass::kBackward:
      break;
  }
  return convolution_seconds(row, ConvolutionPass::kBackwardData, platform) +
         convolution_seconds(row, ConvolutionPass::kBackwardWeights, platform);
}

double recurrent_seconds(const MeasuredOperation& row, const KernelPlatform& platform) {
  const RecurrentTimes times = recurrent_times(row.recurrent, platform);
  switch (row.pass) {
    case OperationPass::kForward:
      return times.forward;
    case OperationPass::kBackwardData:
      return times.backward_data;
    case OperationPass::kBackwardWeights:
      return times.backward_weights;
    case OperationPass::kBackward:
      break;
  }
  return times.backward_data + times.backward_weights;
}

}  // namespace

double work_seconds(const MeasuredOperation& operation, const KernelPlatform& platform) {
  switch (operation.kind) {
    case OperationKind::kConvolution:
      return convolution_seconds(operation, platform);
    case OperationKind::kProduct:
      return linear_work_seconds(operation.product, operation.dtype, platform);
    case OperationKind::kRecurrent:
      return recurrent_seconds(operation, platform);
    case OperationKind::kStreaming:
      break;
  }
  return operation.bytes / streaming_rate(platform);
}

KernelPlatform platform_of(const MeasuredOperation& operation, const KernelMachine& machine,
                           const ArchitectureParameters& architecture) {
  KernelPlatform platform{machine, architecture, {}};
  platform.software.layout = ImageLayout::kChannelsLast;
  platform.software.cudnn = operation.cudnn;
  return platform;
}

bool is_tensor_operation(const MeasuredOperation& operation) {
  return operation.dtype != Dtype::kFloat32 && operation.dtype != Dtype::kFloat64 &&
         (operation.kind == OperationKind::kConvolution ||
          operation.kind == OperationKind::kProduct);
}

std::string_view kind_name(OperationKind kind) {
  switch (kind) {
    case OperationKind::kConvolution:
      return "conv";
    case OperationKind::kProduct:
      return "product";
    case OperationKind::kRecurrent:
      return "recurrent";
    case OperationKind::kStreaming:
      break;
  }
  return "streaming";
}

std::string_view pass_name(OperationPass pass) {
  switch (pass) {
    case OperationPass::kForward:
      return "forward";
    case OperationPass::kBackwardData:
      return "backward_data";
    case OperationPass::kBackwardWeights:
      return "backward_weights";
    case OperationPass::kBackward:
      break;
  }
  return "backward";
}

}  // namespace ooc
