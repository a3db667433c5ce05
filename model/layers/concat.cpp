// Concatenation: { "type": "concat", "axis": 0 }. The axis is counted without the batch: 0 = channels, the default. All
// other dimensions must agree. Forward reads every input and writes the output. Backward takes no time: each input's
// gradient is a slice of the output's. Saves nothing. PALEO's Concatenate counts nothing.
#include <fmt/format.h>

#include <optional>

#include "model/layers/attributes.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

bool agree_beside(const TensorShape& a, const TensorShape& b, std::size_t axis) {
  if (a.dims.size() != b.dims.size()) return false;
  for (std::size_t d = 0; d < a.dims.size(); ++d) {
    if (d != axis && a.dims[d] != b.dims[d]) return false;
  }
  return true;
}

LayerModel read_concat(const SpecView& spec, const LayerInputs& inputs) {
  require_several_inputs(spec, inputs);
  const TensorShape& first = inputs.shapes.front();
  const auto last_axis = static_cast<std::int64_t>(first.dims.size()) - 1;
  const std::optional<SpecView> asked = spec.find("axis");
  const auto axis = static_cast<std::size_t>(asked ? asked->as_integer(0, last_axis) : 0);

  std::vector<Wide> dims(first.dims.begin(), first.dims.end());
  for (std::size_t i = 1; i < inputs.shapes.size(); ++i) {
    if (!agree_beside(first, inputs.shapes[i], axis)) {
      spec.fail(fmt::format("{} and {}", describe_input(inputs, 0), describe_input(inputs, i)),
                fmt::format("inputs that agree in all dimensions but axis {}", axis));
    }
    dims[axis] = dims[axis] + inputs.shapes[i].dims[axis];
  }
  LayerModel model;
  model.output = output_shape(spec, inputs, dims);
  const Wide bytes = elements(model.output) * inputs.element_bytes();
  model.work.forward = to_task_work(spec, {0, Wide(2) * bytes, 0});
  model.gradient_form = GradientForm::kSlices;
  return model;
}

}  // namespace

extern const LayerKind concat_kind{"concat", "concatenation along an axis (0 = channels)",
                                   &read_concat};

}  // namespace ooc
