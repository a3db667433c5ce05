// Softmax and cross entropy in one: the usual loss. Its output is the probabilities, which are what
// it saves; the labels and the loss itself (one number a sample) are not counted.
//
// Forward reads X, writes Y, 5 FLOPs per element (as softmax); backward dx = (y - label) / batch
// reads Y, writes dX, 2 FLOPs, and no gradient comes in from above. PALEO's Softmax counts nothing.
#include "model/layers/attributes.hpp"
#include "model/layers/operation.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

LayerModel read(const SpecView& spec, const LayerInputs& inputs) {
  LayerModel model;
  model.output = single_input(spec, inputs);
  const Wide count = elements(model.output);
  const Wide bytes = count * inputs.element_bytes();
  model.work.forward = to_task_work(spec, {Wide(5) * count, Wide(2) * bytes, 0});
  model.work.backward_data = to_task_work(spec, {Wide(2) * count, Wide(2) * bytes, 0});
  model.saves.output = true;
  model.is_loss = true;
  model.operation = channelwise_operation("softmax_cross_entropy", model.output);
  return model;
}

}  // namespace

extern const LayerKind softmax_cross_entropy_kind;
const LayerKind softmax_cross_entropy_kind{
    "softmax_cross_entropy", "the usual loss", &read, {.numbers = NumberClass::kWide}};

}  // namespace ooc
