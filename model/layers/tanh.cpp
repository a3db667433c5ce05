// Hyperbolic tangent: y = 1 - 2 / (exp(2x) + 1); dx = dy (1 - y^2). Per element forward 5 FLOPs
// (double, exp, add, divide, subtract), backward 3. Saves its output; in place only where asked
// for.
#include "model/layers/activation.hpp"

namespace ooc {
namespace {

LayerModel read_tanh(const SpecView& spec, const LayerInputs& inputs) {
  return read_activation(spec, inputs,
                         {.forward_flops = 5,
                          .backward_flops = 3,
                          .saves = ActivationSaves::kOutput,
                          .in_place = InPlace::kWhereAlways});
}

}  // namespace

extern const LayerKind tanh_kind;
const LayerKind tanh_kind{"tanh", "hyperbolic tangent", &read_tanh};

}  // namespace ooc
