// One layer as every stage sees it: what its kind makes of its keys, what the keys that all kinds share ("frozen",
// "storage") make of that, and what a precision makes of both.
#pragma once

#include "model/layers/layer_kind.hpp"

namespace ooc {

/// `inputs.element` is found here. Throws SpecError as the kind does, and where "storage" does not apply.
[[nodiscard]] LayerModel read_layer(const LayerKind& kind, const SpecView& spec,
                                    LayerInputs inputs);

/// Whether the layer learns nothing: as it says itself, else as the network does.
[[nodiscard]] bool read_frozen(const SpecView& spec, const LayerInputs& inputs);

}  // namespace ooc
