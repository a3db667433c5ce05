// Softmax over the channels (the first dimension of an image, the last of [steps, features]; the axis changes no cost).
// Forward reads X, writes Y (a row fits on chip), 5 FLOPs per element (maximum, subtract, exp, sum, divide); backward dx =
// y (dy - sum of y dy) reads Y and dY, writes dX, 4 FLOPs. Saves its output. PALEO counts nothing. The loss on top of it is
// softmax_cross_entropy.
#include "model/layers/attributes.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

LayerModel read_softmax(const SpecView& spec, const LayerInputs& inputs) {
  LayerModel model;
  model.output = single_input(spec, inputs);
  const Wide count = elements(model.output);
  const Wide bytes = count * inputs.element_bytes();
  model.work.forward = to_task_work(spec, {Wide(5) * count, Wide(2) * bytes, 0});
  model.work.backward_data = to_task_work(spec, {Wide(4) * count, Wide(3) * bytes, 0});
  model.saves.output = true;
  model.saves.input_of_softmax = true;
  return model;
}

}  // namespace

extern const LayerKind softmax_kind{
    "softmax", "softmax over channels", &read_softmax, {.numbers = NumberClass::kWide}};

}  // namespace ooc
