// Leaky ReLU: y = x, or s x where x < 0; dx = dy or s dy. Per element forward 2 FLOPs (comparison, multiply), backward 2.
// The slope changes nothing else and is no key. As s > 0 the output tells the sides apart as well as the input, so it saves
// its output and works in place where possible; PyTorch keeps the input of one out of place (Keeping::clamps).
#include "model/layers/activation.hpp"

namespace ooc {

constexpr ActivationTraits kLeakyRelu{.forward_flops = 2,
                                      .backward_flops = 2,
                                      .in_place = InPlace::kWhenPossible,
                                      .input_serves = true,
                                      .input_out_of_place = true};

extern const LayerKind leaky_relu_kind{"leaky_relu",
                                       "x, or a small share of it below 0, in place where possible",
                                       &read_activation<kLeakyRelu>};

}  // namespace ooc
