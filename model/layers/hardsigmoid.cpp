// Hard sigmoid: y = min(max(x + 3, 0), 6) / 6. Per element forward 4 FLOPs (add, two comparisons, divide);
// backward dx = dy / 6 where 0 < y < 1, 3. Saves its output, but PyTorch, as of relu6, its input, and of one
// in place a copy of it (Keeping::clamps).
#include "model/layers/activation.hpp"

namespace ooc {

constexpr ActivationTraits kHardsigmoid{.forward_flops = 4,
                                        .backward_flops = 3,
                                        .in_place = InPlace::kWhenPossible,
                                        .input_serves = true,
                                        .clamps = true};

extern const LayerKind hardsigmoid_kind{"hardsigmoid",
                                        "min(max(x + 3, 0), 6) / 6, in place where possible",
                                        &read_activation<kHardsigmoid>};

}  // namespace ooc
