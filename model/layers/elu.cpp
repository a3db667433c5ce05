// Exponential linear unit (Clevert et al., arXiv:1511.07289): y = x, or a (e^x - 1) where x < 0. Per element
// forward 4 FLOPs (comparison, exponential, subtract, multiply), backward 3: dx = dy, or dy (y + a). Saves its
// output and works in place where possible; PyTorch keeps the input of one out of place (Keeping::clamps).
#include "model/layers/activation.hpp"

namespace ooc {

constexpr ActivationTraits kElu{.forward_flops = 4,
                                .backward_flops = 3,
                                .in_place = InPlace::kWhenPossible,
                                .input_serves = true,
                                .input_out_of_place = true};

extern const LayerKind elu_kind{"elu", "x, or exp(x) - 1 below 0, in place where possible",
                                &read_activation<kElu>};

}  // namespace ooc
