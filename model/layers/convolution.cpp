// Work of layers with weights.
#include "model/layers/convolution.hpp"

#include <fmt/format.h>

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

}  // namespace ooc
