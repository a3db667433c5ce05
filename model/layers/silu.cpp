// SiLU (swish): y = x s, s = sigmoid(x). Per element forward 5 FLOPs (negate, exp, add, divide, times x); backward dx = dy
// s (1 + x (1 - s)), 9 (s again 4, then 5). Saves its input, hence never in place.
#include "model/layers/activation.hpp"

namespace ooc {

constexpr ActivationTraits kSilu{
    .forward_flops = 5, .backward_flops = 9, .saves = ActivationSaves::kInput};

extern const LayerKind silu_kind{"silu", "x sigmoid(x), also called swish",
                                 &read_activation<kSilu>};

}  // namespace ooc
