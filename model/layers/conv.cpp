// Convolution in one, two or three spatial dimensions, by the length of `kernel`:
//
//   { "type": "conv", "filters": 64, "kernel": [3, 3], "stride": 2, "padding": "same",
//     "dilation": 1, "groups": 1, "bias": true }
//
// Weights kernel x (input channels / groups) x filters. MACs = weights x positions. Saves its input
// (for the gradient of the weights). Depthwise is groups = input channels.
#include "model/layers/attributes.hpp"
#include "model/layers/convolution.hpp"

namespace ooc {
namespace {

std::shared_ptr<const ConvolutionShape> shape_of(const Window& window, const TensorShape& input,
                                                 const std::vector<std::int64_t>& positions,
                                                 const ConvolutionChannels& channels) {
  ConvolutionShape shape{
      .channels = input.dims[0], .filters = channels.filters, .groups = channels.groups};
  const std::span<const std::int64_t> sizes = spatial(input);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const WindowDim& dim = window.dims[i];
    std::int64_t padding = 2 * dim.padding;
    if (window.rule == PaddingRule::kSame) {
      const Int128 covered = Int128{positions[i] - 1} * dim.stride + dim.extent();
      padding = static_cast<std::int64_t>(std::max<Int128>(0, covered - sizes[i]));
    }
    shape.dims.push_back({.input = sizes[i],
                          .output = positions[i],
                          .kernel = dim.kernel,
                          .stride = dim.stride,
                          .dilation = dim.dilation,
                          .padding = padding});
  }
  return std::make_shared<const ConvolutionShape>(std::move(shape));
}

LayerModel read_conv(const SpecView& spec, const LayerInputs& inputs) {
  const TensorShape& input = single_input(spec, inputs);
  const Window window = read_window(spec, input, {});
  const ConvolutionChannels channels = read_channels(spec, input);

  const std::vector<std::int64_t> sizes =
      window_positions(spec, window, spatial(input), Rounding::kFloor);

  LayerModel model;
  model.output = output_shape(spec, inputs, with_channels(channels.filters, sizes));
  const Wide weights = window.taps() * (input.dims[0] / channels.groups) * channels.filters;
  set_weighted_work(spec, inputs,
                    {.weights = weights,
                     .biases = Wide(channels.filters) * channels.bias,
                     .macs = weights * product(sizes)},
                    model);
  const PaleoConv paleo = make_paleo_conv(window, input, model.output, channels.groups);
  model.paleo_work = {.forward = to_task_work(spec, paleo.forward()),
                      .backward_data = to_task_work(spec, paleo.backward_data()),
                      .backward_weights = to_task_work(spec, paleo.backward_filter())};
  model.convolution = shape_of(window, input, sizes, channels);
  model.launches.forward += channels.bias;
  model.launches.backward_weights += channels.bias;
  model.launches.update += channels.bias;
  model.efficiency = "conv";
  model.is_convolution = true;
  model.is_feature_extractor = true;
  return model;
}

}  // namespace

extern const LayerKind conv_kind{
    "conv", "convolution in 1, 2 or 3 dimensions", &read_conv, {.numbers = NumberClass::kProduct}};

}  // namespace ooc
