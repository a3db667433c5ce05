// GELU: y = x Phi(x), Phi(x) = (1 + erf(x / sqrt 2)) / 2 (Hendrycks & Gimpel, arXiv:1606.08415).
// Per element forward 5 FLOPs (scale, erf, add, halve, times x); backward dx = dy (Phi(x) + x
// phi(x)), 11 (Phi 4; phi: square, scale, exp, scale; times x, add, times dy). Any function call
// counts as one. Saves its input, hence never in place.
#include "model/layers/activation.hpp"

namespace ooc {
namespace {

LayerModel read_gelu(const SpecView& spec, const LayerInputs& inputs) {
  return read_activation(spec, inputs,
                         {.operation = "gelu",
                          .forward_flops = 5,
                          .backward_flops = 11,
                          .saves = ActivationSaves::kInput,
                          .in_place = InPlace::kNever});
}

}  // namespace

extern const LayerKind gelu_kind;
const LayerKind gelu_kind{"gelu", "x Phi(x), exact form", &read_gelu};

}  // namespace ooc
