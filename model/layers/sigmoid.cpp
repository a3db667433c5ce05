// Sigmoid: y = 1 / (1 + exp(-x)); dx = dy y (1 - y). Per element forward 4 FLOPs (negate, exp, add,
// divide), backward 3. Saves its output; in place only where the file asks for it.
#include "model/layers/activation.hpp"

namespace ooc {
namespace {

LayerModel read_sigmoid(const SpecView& spec, const LayerInputs& inputs) {
  return read_activation(spec, inputs,
                         {.forward_flops = 4,
                          .backward_flops = 3,
                          .saves = ActivationSaves::kOutput,
                          .in_place = InPlace::kWhereAlways});
}

}  // namespace

extern const LayerKind sigmoid_kind;
const LayerKind sigmoid_kind{"sigmoid", "1 / (1 + exp(-x))", &read_sigmoid};

}  // namespace ooc
