// Reader of one layer: by its kind, then by keys common to all kinds ("frozen", "storage"), then by the precision.
#pragma once

#include "model/layers/layer_kind.hpp"

namespace ooc {

/// Returns the model. With inputs.precision, inputs.element is ignored and set by precision and kind. Throws SpecError
/// as the kind does, and if "storage" does not apply to the layer.
[[nodiscard]] LayerModel read_layer(const LayerKind& kind, const SpecView& spec,
                                    LayerInputs inputs);

/// Returns "frozen" of the layer; without the key inputs.frozen, which is the network's.
[[nodiscard]] bool read_frozen(const SpecView& spec, const LayerInputs& inputs);

}  // namespace ooc
