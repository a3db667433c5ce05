// Fully connected layer: { "type": "linear", "units": 1000, "bias": true, "tied_to": "embedding" }.
//
// On [features], or on [steps, features] where it is applied to every step (as in transformers).
// MACs = steps x features x units. Saves its input. On an image [C, H, W] it is an error rather
// than a silent flatten: which of the two is meant changes the parameters by orders of magnitude.
// Tied, its matrix [units, features] is another layer's (a head that shares the embedding's table): the
// same work, and no parameters but a bias.
//
// PALEO (InnerProduct): F = 2 N D K and 4 (N D + D K + N K) bytes, three times; its data gradient
// is counted even next to the data.
#include <fmt/format.h>

#include "model/layers/attributes.hpp"
#include "model/layers/convolution.hpp"
#include "model/layers/operation.hpp"

namespace ooc {
namespace {

LayerModel read_linear(const SpecView& spec, const LayerInputs& inputs) {
  const TensorShape& input = single_input(spec, inputs);
  const std::int64_t units = spec.get("units").as_integer(1, kMaxSize);
  const std::int64_t bias = read_bias(spec) ? 1 : 0;
  if (input.dims.empty() || input.dims.size() > 2) {
    spec.fail(fmt::format("an input of shape {}", input.text()), "[features] or [steps, features]",
              "put a \"flatten\" layer before it");
  }
  std::vector<std::int64_t> dims = input.dims;
  dims.back() = units;

  LayerModel model;
  model.output = output_shape(spec, inputs, dims);
  const Wide weights = Wide(input.dims.back()) * units;
  const std::int64_t rows = input.dims.size() == 2 ? input.dims.front() : 1;
  const Wide steps = rows;
  set_weighted_work(spec, inputs,
                    {.weights = weights, .biases = Wide(units) * bias, .macs = weights * steps},
                    model);
  const std::int64_t features = input.dims.back();
  set_weight_matrix(spec, inputs, {.rows = units, .columns = features}, model);
  model.parameters = (model.is_tied ? 0 : model.parameters) + units * bias;
  const TaskWork paleo = to_task_work(
      spec, {.flops = Wide(2) * weights * steps,
             .bytes = Wide(kPaleoElementBytes) * (elements(input) + elements(model.output)),
             .bytes_fixed = Wide(kPaleoElementBytes) * weights});
  model.paleo_work = {.forward = paleo, .backward_data = paleo, .backward_weights = paleo};
  model.paleo_backward_data_always = true;
  model.efficiency = "linear";
  model.products = std::make_shared<const LayerProducts>(LayerProducts{
      .forward = {{.m = units, .n = rows, .k = features}},
      .backward_data = {{.m = features, .n = rows, .k = units}},
      .backward_weights = {{.m = units, .n = features, .k = rows, .batch = BatchAxis::kK}}});
  if (model.is_tied) return model;
  model.operation = make_operation(
      "linear",
      {{"rows", rows}, {"inputs", input.dims.back()}, {"outputs", units}, {"bias", bias}});
  return model;
}

}  // namespace

extern const LayerKind linear_kind;
const LayerKind linear_kind{.name = "linear",
                            .summary = "fully connected layer, per step on [steps, features]",
                            .read = &read_linear,
                            .traits = {.may_be_tied = true, .numbers = NumberClass::kLinear}};

}  // namespace ooc
