// Product of two or more tensors, element by element. An input may be one number per channel, [C]
// or [C, 1, ...], and is then spread over its channel (gates of squeeze-and-excitation).
//
// Forward reads every input, writes the output, n - 1 FLOPs per element of the output. Backward reads dY and every input
// and writes every input's gradient, n - 1 FLOPs per element of the output and input, and one more where a spread input's
// gradient is summed up. Saves all inputs. PALEO's Elementwise counts nothing.
#include <fmt/format.h>

#include <algorithm>

#include "model/layers/attributes.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

bool is_per_channel(const TensorShape& shape, const TensorShape& output) {
  if (shape.dims.front() != output.dims.front()) return false;
  if (shape.dims.size() != 1 && shape.dims.size() != output.dims.size()) return false;
  return std::all_of(shape.dims.begin() + 1, shape.dims.end(),
                     [](std::int64_t dim) { return dim == 1; });
}

/// The input with the most elements, the first of equals.
std::size_t largest(const LayerInputs& inputs) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < inputs.shapes.size(); ++i) {
    if (elements(inputs.shapes[i]) > elements(inputs.shapes[best])) best = i;
  }
  return best;
}

LayerModel read_multiply(const SpecView& spec, const LayerInputs& inputs) {
  require_several_inputs(spec, inputs);
  const std::size_t whole = largest(inputs);
  LayerModel model;
  model.output = inputs.shapes[whole];
  const auto count = static_cast<std::int64_t>(inputs.shapes.size());
  const Wide out = elements(model.output);
  Wide in = 0;
  Wide backward_flops = out * count * (count - 1);
  for (std::size_t i = 0; i < inputs.shapes.size(); ++i) {
    in = in + elements(inputs.shapes[i]);
    if (inputs.shapes[i] == model.output) continue;
    if (!is_per_channel(inputs.shapes[i], model.output)) {
      spec.fail(fmt::format("{} and {}", describe_input(inputs, whole), describe_input(inputs, i)),
                "inputs of the same shape, or one number per channel");
    }
    backward_flops = backward_flops + out;
  }
  const Wide element = inputs.element_bytes();
  model.work.forward = to_task_work(spec, {out * (count - 1), element * (in + out), 0});
  model.work.backward_data =
      to_task_work(spec, {backward_flops, element * (out + Wide(2) * in), 0});
  model.launches = {.forward = count - 1, .backward = 2 * (count - 1)};
  model.saves.inputs = true;
  return model;
}

}  // namespace

extern const LayerKind multiply_kind{
    "multiply", "element-wise product, per-channel factors allowed", &read_multiply};

}  // namespace ooc
