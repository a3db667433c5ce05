// ReLU6: y = min(max(x, 0), 6); dx = dy where 0 < y < 6. As relu, with a second comparison. The output says what
// backward wants to know, but PyTorch keeps the input, and of one in place a copy of it (Keeping::clamps).
#include "model/layers/activation.hpp"

namespace ooc {

constexpr ActivationTraits kRelu6{.forward_flops = 2,
                                  .backward_flops = 2,
                                  .in_place = InPlace::kWhenPossible,
                                  .input_serves = true,
                                  .clamps = true};

extern const LayerKind relu6_kind{"relu6", "min(max(x, 0), 6), in place where possible",
                                  &read_activation<kRelu6>};

}  // namespace ooc
