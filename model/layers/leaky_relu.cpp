// Leaky ReLU: y = x, or s x where x < 0; dx = dy or s dy. Per element forward 2 FLOPs (comparison, multiply),
// backward 2. The slope changes nothing else and is no key. As s > 0 the output tells the sides apart as well
// as the input, so it saves its output and works in place where possible; PyTorch keeps the input of one out
// of place (Keeping::clamps).
#include "model/layers/activation.hpp"

namespace ooc {
namespace {

LayerModel read_leaky_relu(const SpecView& spec, const LayerInputs& inputs) {
  LayerModel model = read_activation(spec, inputs,
                                     {.forward_flops = 2,
                                      .backward_flops = 2,
                                      .saves = ActivationSaves::kOutput,
                                      .in_place = InPlace::kWhenPossible});
  model.saves.input_serves = true;
  model.saves.input_out_of_place = true;
  return model;
}

}  // namespace

extern const LayerKind leaky_relu_kind;
const LayerKind leaky_relu_kind{
    "leaky_relu", "x, or a small share of it below 0, in place where possible", &read_leaky_relu};

}  // namespace ooc
