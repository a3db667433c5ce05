// Work of layers with weights.
#include "model/layers/convolution.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <functional>

#include "model/layers/attributes.hpp"

namespace ooc {

ConvolutionChannels read_channels(const SpecView& spec, const TensorShape& input) {
  ConvolutionChannels channels;
  channels.filters = spec.get("filters").as_integer(1, kMaxSize);
  channels.bias = read_bias(spec) ? 1 : 0;
  if (const auto groups = spec.find("groups")) {
    channels.groups = groups->as_integer(1, kMaxSize);
    if (input.dims[0] % channels.groups != 0 || channels.filters % channels.groups != 0) {
      groups->fail(fmt::format("{}", channels.groups),
                   fmt::format("a divisor of {} input channels and {} filters", input.dims[0],
                               channels.filters));
    }
  }
  return channels;
}

void set_weighted_work(const SpecView& spec, const LayerInputs& inputs, const WeightedSizes& sizes,
                       LayerModel& model) {
  const Wide element = inputs.element_bytes();
  const Wide activations = element * (elements(inputs.shapes[0]) + elements(model.output));
  const Wide flops = Wide(2) * sizes.macs;
  const Wide weight_bytes = element * sizes.weights;
  const Wide parameter_bytes = element * (sizes.weights + sizes.biases);
  model.parameters = to_parameters(spec, inputs, sizes.weights + sizes.biases);
  model.forward_macs = to_count(spec, sizes.macs, "multiply-accumulates a sample");
  model.work.forward = to_task_work(spec, {flops, activations, parameter_bytes});
  model.work.backward_data = to_task_work(spec, {flops, activations, weight_bytes});
  model.work.backward_weights = to_task_work(spec, {flops, activations, parameter_bytes});
  model.backward_form = BackwardForm::kSplit;
  model.saves.inputs = true;
}

// PALEO's counts for convolutions.

namespace {

template <class Extent>
Wide volume(const PaleoConv& conv, Extent extent) {
  Wide result = 1;
  for (const PaleoConvDim& dim : conv.dims) result = result * std::invoke(extent, dim);
  return result;
}

Wide outputs(const PaleoConv& conv) { return volume(conv, &PaleoConvDim::output); }

Wide inputs(const PaleoConv& conv) { return volume(conv, &PaleoConvDim::input); }

Wide weights(const PaleoConv& conv) {
  return conv.taps * (conv.in_channels / conv.groups) * conv.out_channels;
}

/// PALEO rounds towards minus infinity, also below zero.
std::int64_t same_padding(const WindowDim& window, std::int64_t input, std::int64_t output) {
  const Int128 total = Int128{output - 1} * window.stride + window.extent() - input;
  return static_cast<std::int64_t>(total >> 1);
}

}  // namespace

std::int64_t PaleoConvDim::stuffed() const {
  const Int128 extent = Int128{output - 1} * stride + 1;
  const Int128 before = Int128{kernel} - 1 - padding;
  const Int128 after = Int128{input} + kernel - 1 - extent - before;
  const Int128 lopsided = before - after;
  return static_cast<std::int64_t>(lopsided == 1 || lopsided == -1 ? extent + 1 : extent);
}

Traffic PaleoConv::forward() const {
  const Wide padded = volume(*this, [](const PaleoConvDim& dim) { return dim.padded_input(); });
  return {
      .flops = Wide(2) * weights(*this) * outputs(*this),
      .bytes = Wide(kPaleoElementBytes) * (padded * in_channels + outputs(*this) * out_channels),
      .bytes_fixed = Wide(kPaleoElementBytes) * weights(*this)};
}

Traffic PaleoConv::backward_data() const {
  const Wide stuffed_pixels = volume(*this, [](const PaleoConvDim& dim) { return dim.stuffed(); });
  const Wide padded =
      volume(*this, [](const PaleoConvDim& dim) { return dim.input + dim.kernel - 1; });
  // The moves that stuff the zeros in: two per pixel that is no hole.
  const bool has_holes = stuffed_pixels > outputs(*this);
  const Wide moves = has_holes ? Wide(2) * outputs(*this) * out_channels : Wide(0);
  return {.flops = Wide(2) * weights(*this) * inputs(*this) + moves,
          .bytes = Wide(kPaleoElementBytes) * (padded * out_channels + inputs(*this) * in_channels),
          .bytes_fixed = Wide(kPaleoElementBytes) * weights(*this)};
}

Traffic PaleoConv::backward_filter() const {
  const Wide padded =
      volume(*this, [](const PaleoConvDim& dim) { return dim.stuffed() + dim.kernel - 1; });
  return {
      .flops = forward().flops,
      .bytes = Wide(kPaleoElementBytes) * (padded * in_channels + outputs(*this) * out_channels),
      .bytes_fixed = Wide(kPaleoElementBytes) * weights(*this)};
}

PaleoConv make_paleo_conv(const Window& window, const TensorShape& input, const TensorShape& output,
                          std::int64_t groups) {
  PaleoConv conv{.in_channels = input.dims[0],
                 .out_channels = output.dims[0],
                 .groups = groups,
                 .taps = window.taps()};
  for (std::size_t d = 0; d < window.dims.size(); ++d) {
    const WindowDim& dim = window.dims[d];
    const std::int64_t in = input.dims[d + 1];
    const std::int64_t out = output.dims[d + 1];
    conv.dims.push_back(
        {.input = in,
         .output = out,
         .stride = dim.stride,
         .kernel = static_cast<std::int64_t>(dim.extent()),
         .padding = window.rule == PaddingRule::kSame ? same_padding(dim, in, out) : dim.padding});
  }
  return conv;
}

}  // namespace ooc
