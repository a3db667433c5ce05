// Hard sigmoid: y = min(max(x + 3, 0), 6) / 6. Per element forward 4 FLOPs (add, two comparisons, divide);
// backward dx = dy / 6 where 0 < y < 1, 3. Saves its output, but PyTorch, as of relu6, its input, and of one
// in place a copy of it (Keeping::clamps).
#include "model/layers/activation.hpp"

namespace ooc {
namespace {

LayerModel read_hardsigmoid(const SpecView& spec, const LayerInputs& inputs) {
  LayerModel model = read_activation(spec, inputs,
                                     {.forward_flops = 4,
                                      .backward_flops = 3,
                                      .saves = ActivationSaves::kOutput,
                                      .in_place = InPlace::kWhenPossible});
  model.saves.input_serves = true;
  model.saves.clamps = true;
  return model;
}

}  // namespace

extern const LayerKind hardsigmoid_kind;
const LayerKind hardsigmoid_kind{
    "hardsigmoid", "min(max(x + 3, 0), 6) / 6, in place where possible", &read_hardsigmoid};

}  // namespace ooc
