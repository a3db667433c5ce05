// Exponential linear unit (Clevert et al., arXiv:1511.07289): y = x, or a (e^x - 1) where x < 0. Per element
// forward 4 FLOPs (comparison, exponential, subtract, multiply), backward 3: dx = dy, or dy (y + a). Saves its
// output and works in place where possible; PyTorch keeps the input of one out of place (Keeping::clamps).
#include "model/layers/activation.hpp"

namespace ooc {
namespace {

LayerModel read_elu(const SpecView& spec, const LayerInputs& inputs) {
  LayerModel model = read_activation(spec, inputs,
                                     {.forward_flops = 4,
                                      .backward_flops = 3,
                                      .saves = ActivationSaves::kOutput,
                                      .in_place = InPlace::kWhenPossible});
  model.saves.input_serves = true;
  model.saves.input_out_of_place = true;
  return model;
}

}  // namespace

extern const LayerKind elu_kind;
const LayerKind elu_kind{"elu", "x, or exp(x) - 1 below 0, in place where possible", &read_elu};

}  // namespace ooc
