// ReLU: y = max(x, 0); dx = dy where y > 0. One comparison per element each way (activation.hpp).
// Saves its output and works in place where nothing else needs its input, as frameworks do by
// default in memory-bound settings; { "in_place": false } turns that off, true insists on it.
#include "model/layers/activation.hpp"

namespace ooc {

constexpr ActivationTraits kRelu{.in_place = InPlace::kWhenPossible, .input_serves = true};

extern const LayerKind relu_kind{"relu", "max(x, 0), in place where possible",
                                 &read_activation<kRelu>};

}  // namespace ooc
