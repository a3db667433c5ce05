// Hard swish (Howard et al., "Searching for MobileNetV3", arXiv:1905.02244): y = x relu6(x + 3) / 6. Per
// element forward 5 FLOPs (add, two comparisons, multiply, divide); backward dx = dy (x / 3 + 1/2) within
// the limits, 5 (two comparisons, multiply, add, multiply). Saves its input, hence never in place; PyTorch,
// asked to run it in place, keeps a copy of the input, which comes to the same bytes.
#include "model/layers/activation.hpp"

namespace ooc {

constexpr ActivationTraits kHardswish{
    .forward_flops = 5, .backward_flops = 5, .saves = ActivationSaves::kInput};

extern const LayerKind hardswish_kind{"hardswish", "x min(max(x + 3, 0), 6) / 6",
                                      &read_activation<kHardswish>};

}  // namespace ooc
