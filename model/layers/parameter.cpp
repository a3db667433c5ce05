// Free parameters: { "type": "parameter", "shape": [1, 768] }, a class token or positions that are added.
// Reads no layer: an embedding without input. Every sample gets a copy of its own.
//
// Forward reads the parameters and writes them for each sample; backward (the gradient of the parameters alone) reads dY
// and adds it up over the batch, an addition per element. Saves nothing. Where it is wrong: frameworks may spread them over
// the batch without a copy, where whoever reads them can. PALEO counts nothing.
#include "model/layers/work.hpp"

namespace ooc {
namespace {

LayerModel read_parameter(const SpecView& spec, const LayerInputs& inputs) {
  LayerModel model;
  model.output = stated_shape(spec.get("shape"), inputs);
  const Wide count = elements(model.output);
  const Wide bytes = count * inputs.element_bytes();
  model.parameters = to_parameters(spec, inputs, count);
  model.work.forward = to_task_work(spec, {0, bytes, bytes});
  model.work.backward_weights = to_task_work(spec, {count, bytes, bytes});
  model.backward_form = BackwardForm::kSplit;
  return model;
}

}  // namespace

extern const LayerKind parameter_kind{
    .name = "parameter",
    .summary = "free parameters, a copy for every sample",
    .read = &read_parameter,
    .traits = {.takes_inputs = false, .numbers = NumberClass::kTable}};

}  // namespace ooc
