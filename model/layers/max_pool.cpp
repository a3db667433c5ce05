// Maximum over a sliding window: { "kernel": [3, 3], "stride": 2, "padding": 1, "ceil": true }. The
// stride defaults to the kernel. Work: window.hpp.
//
// Saves its input and its output (the backward pass looks for the maxima again); frameworks that
// keep indices instead save as much or more.
#include "model/layers/window.hpp"

namespace ooc {
extern const LayerKind max_pool_kind{"max_pool", "maximum over a sliding window",
                                     [](const SpecView& spec, const LayerInputs& inputs) {
                                       return read_pool(spec, inputs, PoolKind::kMax);
                                     }};

}  // namespace ooc
