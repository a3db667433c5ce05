// Reader of one layer: by its kind, then by the keys of all kinds ("frozen", "storage"), then by
// the precision.
#pragma once

#include "model/layers/layer_kind.hpp"

namespace ooc {

/// Sets `inputs.element` itself. Throws SpecError as the kind does, and if "storage" does not apply.
[[nodiscard]] LayerModel read_layer(const LayerKind& kind, const SpecView& spec,
                                    LayerInputs inputs);

/// True if the layer is frozen: by its own key, else by the network's.
[[nodiscard]] bool read_frozen(const SpecView& spec, const LayerInputs& inputs);

}  // namespace ooc
