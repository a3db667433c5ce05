// Sigmoid: y = 1 / (1 + exp(-x)); dx = dy y (1 - y). Per element forward 4 FLOPs (negate, exp, add,
// divide), backward 3. Saves its output; in place only where the file asks for it.
#include "model/layers/activation.hpp"

namespace ooc {

constexpr ActivationTraits kSigmoid{
    .forward_flops = 4, .backward_flops = 3, .in_place = InPlace::kWhereAlways};

extern const LayerKind sigmoid_kind{"sigmoid", "1 / (1 + exp(-x))", &read_activation<kSigmoid>};

}  // namespace ooc
