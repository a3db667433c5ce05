// What a precision (model/base/precision.hpp) makes of a layer: the type its kernels compute in, the bytes of
// its output, the copies of inputs and weights that it reads in other types than they have. Where none is
// set nothing here is called.
#pragma once

#include <cstdint>
#include <span>

#include "model/base/precision.hpp"
#include "model/layers/layer_kind.hpp"

namespace ooc {

/// Bytes of an element that a layer of this kind computes with, its inputs being of `inputs` bytes.
[[nodiscard]] std::int64_t computed_bytes(const LayerKind& kind, const PrecisionInfo& precision,
                                          std::span<const std::int64_t> inputs);

/// Completes what `kind` made of `spec` and `inputs`, in which precision, bytes and element are set. Throws
/// SpecError for sums that do not fit.
void set_precision(const SpecView& spec, const LayerKind& kind, const LayerInputs& inputs,
                   LayerModel& model);

}  // namespace ooc
