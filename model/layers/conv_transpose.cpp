// Transposed convolution (deconvolution, up-convolution): the gradient of a convolution, run forward.
//
//   { "type": "conv_transpose", "filters": 64, "kernel": [4, 4], "stride": 2, "padding": 1,
//     "output_padding": 0, "dilation": 1, "groups": 1, "bias": true }
//
// Output o = (i - 1) s - 2p + extent + output_padding; "same" makes o = i s, "valid" is padding 0. Weights kernel x input
// channels x (filters / groups); MACs = weights x pixels of the *input* (every input pixel meets every weight; what padding
// crops is computed all the same). Saves its input.
//
// PALEO: forward is the data gradient of the convolution that goes the other way (zero stuffing and
// all), backward-data is that convolution's forward, the filter's gradient is that convolution's.
#include <fmt/format.h>

#include <utility>

#include "model/layers/attributes.hpp"
#include "model/layers/convolution.hpp"

namespace ooc {
namespace {

std::vector<std::int64_t> read_output_padding(const SpecView& spec, const Window& window) {
  const std::size_t rank = window.dims.size();
  std::vector<std::int64_t> extra =
      find_sizes(spec, "output_padding", rank, 0).value_or(std::vector<std::int64_t>(rank, 0));
  for (std::size_t d = 0; d < rank; ++d) {
    if (extra[d] >= window.dims[d].stride && extra[d] > 0) {
      spec.get("output_padding")
          .fail(fmt::format("{}", extra[d]),
                fmt::format("less than the stride, {}", window.dims[d].stride));
    }
  }
  return extra;
}

Wide output_size(const SpecView& spec, const WindowDim& dim, PaddingRule rule, std::int64_t input,
                 std::int64_t extra) {
  if (rule == PaddingRule::kSame) return Wide(input) * dim.stride;
  const Wide reach = Wide(input - 1) * dim.stride + Wide::from(dim.extent()) + extra;
  const Wide cropped = Wide(2) * dim.padding;
  if (!(reach > cropped)) {
    spec.get("padding").fail(
        fmt::format("{} on each side", dim.padding),
        fmt::format("less than half of the {} pixels before cropping", wide_text(reach)));
  }
  return Wide::from(reach.value() - cropped.value());
}

LayerModel read_conv_transpose(const SpecView& spec, const LayerInputs& inputs) {
  const TensorShape& input = single_input(spec, inputs);
  const Window window = read_window(spec, input, {});
  const ConvolutionChannels channels = read_channels(spec, input);
  const std::vector<std::int64_t> extra = read_output_padding(spec, window);

  std::vector<Wide> dims{channels.filters};
  for (std::size_t d = 0; d < window.dims.size(); ++d) {
    dims.push_back(output_size(spec, window.dims[d], window.rule, spatial(input)[d], extra[d]));
  }
  LayerModel model;
  model.output = output_shape(spec, inputs, dims);
  const Wide weights = window.taps() * input.dims[0] * (channels.filters / channels.groups);
  const Wide pixels = product({input.dims.begin() + 1, input.dims.end()});
  set_weighted_work(spec, inputs,
                    {.weights = weights,
                     .biases = Wide(channels.filters) * channels.bias,
                     .macs = weights * pixels},
                    model);
  const PaleoConv paleo = make_paleo_conv(window, model.output, input, channels.groups);
  model.paleo_work = {.forward = to_task_work(spec, paleo.backward_data()),
                      .backward_data = to_task_work(spec, paleo.forward()),
                      .backward_weights = to_task_work(spec, paleo.backward_filter())};
  model.efficiency = "conv";
  ConvolutionShape mirrored{
      .channels = channels.filters, .filters = input.dims[0], .groups = channels.groups};
  for (std::size_t d = 0; d < window.dims.size(); ++d) {
    const WindowDim& dim = window.dims[d];
    mirrored.dims.push_back({.input = model.output.dims[d + 1],
                             .output = input.dims[d + 1],
                             .kernel = dim.kernel,
                             .stride = dim.stride,
                             .dilation = dim.dilation,
                             .padding = 2 * dim.padding});
  }
  model.mirrored_convolution = std::make_shared<const ConvolutionShape>(std::move(mirrored));
  model.is_convolution = true;
  model.is_feature_extractor = true;
  return model;
}

}  // namespace

extern const LayerKind conv_transpose_kind{"conv_transpose",
                                           "transposed convolution (deconvolution)",
                                           &read_conv_transpose,
                                           {.numbers = NumberClass::kProduct}};

}  // namespace ooc
