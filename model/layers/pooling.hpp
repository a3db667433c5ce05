// Common code of pooling kinds.
//
// Native work per sample, with `in` and `out` elements and `visits` = pixels that all windows cover
// (kernel x out, for sliding windows):
//   forward   reads X, writes Y;  visits FLOPs (an addition or a comparison each)
//   backward  max: reads X, Y and dY, writes dX;  average: reads dY, writes dX;  visits FLOPs
// Saved: input and output for max, nothing for average (docs/model.md, 3).
//
// PALEO: for max and average 2 x visits FLOPs and 4 (in + out) bytes, in backward again. PALEO has
// no global or adaptive pools; they count as average pools.
#pragma once

#include "model/layers/layer_kind.hpp"
#include "model/layers/window.hpp"
#include "model/layers/work.hpp"

namespace ooc {

enum class PoolKind { kMax, kAverage };

/// Reads max_pool and avg_pool: { "kernel": [3, 3], "stride": kernel, "padding": 0, "ceil": false }.
[[nodiscard]] LayerModel read_pool(const SpecView& spec, const LayerInputs& inputs, PoolKind kind);

/// Sets work and saved tensors. Precondition: `model.output` is set. `visits`: pixels that all windows cover.
void set_pool_work(const SpecView& spec, const LayerInputs& inputs, PoolKind kind, Wide visits,
                   LayerModel& model);

}  // namespace ooc
