// Hyperbolic tangent: y = 1 - 2 / (exp(2x) + 1); dx = dy (1 - y^2). Per element forward 5 FLOPs (double, exp, add, divide,
// subtract), backward 3. Saves its output; in place only where asked for.
#include "model/layers/activation.hpp"

namespace ooc {

constexpr ActivationTraits kTanh{
    .forward_flops = 5, .backward_flops = 3, .in_place = InPlace::kWhereAlways};

extern const LayerKind tanh_kind{"tanh", "hyperbolic tangent", &read_activation<kTanh>};

}  // namespace ooc
