// Slice: { "type": "slice", "axis": 0, "begin": 0, "end": 32 }: positions begin ... end - 1 of one
// axis, counted without the batch. Forward reads and writes what is taken; backward reads dY and
// writes the whole dX (zeros beside the slice). The whole axis is a view. Saves nothing.
#include "model/layers/attributes.hpp"
#include "model/layers/movement.hpp"

namespace ooc {
namespace {

LayerModel read_slice(const SpecView& spec, const LayerInputs& inputs) {
  const TensorShape& input = single_input(spec, inputs);
  const auto last_axis = static_cast<std::int64_t>(input.dims.size()) - 1;
  const auto axis = static_cast<std::size_t>(spec.get("axis").as_integer(0, last_axis));
  const std::int64_t size = input.dims[axis];
  const std::int64_t begin = spec.get("begin").as_integer(0, size - 1);
  const std::int64_t end = spec.get("end").as_integer(begin + 1, size);
  std::vector<std::int64_t> dims = input.dims;
  dims[axis] = end - begin;

  LayerModel model;
  model.output = output_shape(spec, inputs, dims);
  model.is_view = model.output == input;
  const Wide out = elements(model.output);
  if (!model.is_view) {
    set_movement(spec, inputs, {Wide(2) * out, out + elements(input), 0, 0}, model);
  }
  return model;
}

}  // namespace

extern const LayerKind slice_kind{"slice", "a range of one axis", &read_slice};

}  // namespace ooc
