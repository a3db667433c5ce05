// Embedding: { "type": "embedding", "vocabulary": 10000, "width": 650 }, on [steps] word numbers,
// giving [steps, width]. The numbers are the network's data: they take as many bytes as any element, where a
// precision is set 8, and get no gradient. "tied_to": another layer's table. "positions": how many steps it was made for, where it holds
// learned positions; more are an error.
//
// Parameters vocabulary x width. Forward reads the numbers and a row each and writes the rows, no FLOPs. Backward (only the
// gradient of the table) clears the dense gradient, then adds a row for each step: reads dY and the numbers, reads and
// writes the rows, an addition per element. Saves its input.
//
// Where it is wrong: rows that occur twice in a batch may hit the cache; sparse gradients
// (TensorFlow's IndexedSlices, PyTorch's sparse=True) neither clear nor update the rest of the table.
#include <fmt/format.h>

#include "model/layers/attributes.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

LayerModel read_embedding(const SpecView& spec, const LayerInputs& inputs) {
  const TensorShape& input = single_input(spec, inputs);
  if (input.dims.size() != 1) {
    spec.fail(fmt::format("an input of shape {}", input.text()), "[steps] of word numbers");
  }
  const std::int64_t vocabulary = spec.get("vocabulary").as_integer(1, kMaxSize);
  const std::int64_t width = spec.get("width").as_integer(1, kMaxSize);
  if (const auto positions = spec.find("positions")) {
    const std::int64_t most = positions->as_integer(1, kMaxSize);
    if (input.dims[0] > most) {
      positions->fail(fmt::format("{} positions for {} steps", most, input.dims[0]),
                      fmt::format("at most {} steps", most), "a shorter sequence");
    }
  }
  LayerModel model;
  model.output = output_shape(spec, inputs, std::vector<std::int64_t>{input.dims[0], width});
  const Wide table = Wide(vocabulary) * width;
  const Wide rows = elements(model.output);
  const Wide element = inputs.element_bytes();
  const Wide numbers = elements(input) * inputs.bytes_of(0);
  set_weight_matrix(spec, inputs, {.rows = vocabulary, .columns = width}, model);
  model.work.forward = to_task_work(spec, {0, numbers + element * Wide(2) * rows, 0});
  model.work.backward_weights =
      to_task_work(spec, {rows, numbers + element * Wide(3) * rows, element * table});
  model.backward_form = BackwardForm::kSplit;
  model.saves.inputs = true;
  return model;
}

}  // namespace

extern const LayerKind embedding_kind{
    .name = "embedding",
    .summary = "rows of a table, one per word number",
    .read = &read_embedding,
    .traits = {.may_be_tied = true, .numbers = NumberClass::kTable}};

}  // namespace ooc
