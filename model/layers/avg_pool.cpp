// Average over a sliding window: { "kernel": [3, 3], "stride": 2, "padding": 1, "ceil": true }. The
// stride defaults to the kernel. Work: window.hpp.
//
// Saves nothing. With a 1x1 kernel and stride 1 it is the identity, a view that costs nothing.
#include "model/layers/window.hpp"

namespace ooc {
extern const LayerKind avg_pool_kind{"avg_pool", "average over a sliding window",
                                     [](const SpecView& spec, const LayerInputs& inputs) {
                                       return read_pool(spec, inputs, PoolKind::kAverage);
                                     }};

}  // namespace ooc
