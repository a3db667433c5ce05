// Reader of one layer: by its kind, then by keys common to all kinds ("frozen", "storage"), then by
// the precision.
#pragma once

#include "model/layers/layer_kind.hpp"

namespace ooc {

/// Returns the model. `inputs.element` is ignored if there is a precision, which sets it. Throws SpecError as the
/// kind does, and if "storage" does not apply.
[[nodiscard]] LayerModel read_layer(const LayerKind& kind, const SpecView& spec,
                                    LayerInputs inputs);

/// Returns the layer's "frozen", else the network's.
[[nodiscard]] bool read_frozen(const SpecView& spec, const LayerInputs& inputs);

}  // namespace ooc
