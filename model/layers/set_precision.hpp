// Effects of a precision (model/base/precision.hpp) on a layer: type of its kernels, bytes of its
// output, casts of inputs and weights. Not used without a precision.
#pragma once

#include <cstdint>
#include <span>

#include "model/base/precision.hpp"
#include "model/layers/layer_kind.hpp"

namespace ooc {

/// Returns the bytes an element that such a layer computes with. `inputs`: bytes an element, by input.
[[nodiscard]] std::int64_t computed_bytes(const LayerKind& kind, const PrecisionInfo& precision,
                                          std::span<const std::int64_t> inputs);

/// Completes the model that `kind` made. `inputs` states precision, bytes and element. Throws
/// SpecError for sums beyond the limits.
void set_precision(const SpecView& spec, const LayerKind& kind, const LayerInputs& inputs,
                   LayerModel& model);

}  // namespace ooc
