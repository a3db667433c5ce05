// ReLU6: y = min(max(x, 0), 6); dx = dy where 0 < y < 6. As relu, with a second comparison. The output says what
// backward wants to know, but PyTorch keeps the input, and of one in place a copy of it (Keeping::clamps).
#include "model/layers/activation.hpp"

namespace ooc {
namespace {

LayerModel read_relu6(const SpecView& spec, const LayerInputs& inputs) {
  LayerModel model = read_activation(spec, inputs,
                                     {.forward_flops = 2,
                                      .backward_flops = 2,
                                      .saves = ActivationSaves::kOutput,
                                      .in_place = InPlace::kWhenPossible});
  model.saves.input_serves = true;
  model.saves.clamps = true;
  return model;
}

}  // namespace

extern const LayerKind relu6_kind;
const LayerKind relu6_kind{"relu6", "min(max(x, 0), 6), in place where possible", &read_relu6};

}  // namespace ooc
