// Transpose: { "type": "transpose", "axes": [1, 0] }. Output dimension d is input dimension axes[d], both counted without
// the batch. Reads and writes every element, backward as well; the identity is a view. Saves nothing.
#include <fmt/format.h>

#include "model/layers/attributes.hpp"
#include "model/layers/movement.hpp"

namespace ooc {
namespace {

LayerModel read_transpose(const SpecView& spec, const LayerInputs& inputs) {
  const TensorShape& input = single_input(spec, inputs);
  const SpecView axes = spec.get("axes");
  const auto rank = static_cast<std::int64_t>(input.dims.size());
  std::vector<std::int64_t> dims;
  std::vector<std::int64_t> order;
  std::vector<bool> taken(input.dims.size(), false);
  bool is_identity = true;
  for (const SpecView& item : axes.items()) {
    const std::int64_t axis = item.as_integer(0, rank - 1);
    const auto at = static_cast<std::size_t>(axis);
    if (taken[at]) item.fail(fmt::format("axis {} again", axis), "every axis once");
    taken[at] = true;
    is_identity = is_identity && at == dims.size();
    dims.push_back(input.dims[at]);
    order.push_back(axis);
  }
  if (dims.size() != input.dims.size()) {
    axes.fail(fmt::format("{} axes", dims.size()),
              fmt::format("all {} axes of the input ({})", rank, input.text()));
  }
  LayerModel model;
  model.output = output_shape(spec, inputs, dims);
  model.is_view = is_identity;
  const Wide moved = Wide(2) * elements(input);
  if (!is_identity) set_movement(spec, inputs, {moved, moved, 0, 0}, model);
  return model;
}

}  // namespace

extern const LayerKind transpose_kind{"transpose", "permutation of axes", &read_transpose};

}  // namespace ooc
