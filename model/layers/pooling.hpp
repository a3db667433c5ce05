// What the pooling kinds share.
//
// Native work per sample, with `in` and `out` elements and `visits` = pixels that all windows cover
// (kernel x out, for sliding windows):
//   forward   reads X, writes Y;  visits FLOPs (an addition or a comparison each)
//   backward  max: reads X, Y and dY, writes dX;  average: reads dY, writes dX;  visits FLOPs
// Saves: max both input and output, averages nothing (docs/model.md, 3).
//
// PALEO: max and average alike 2 x visits FLOPs and 4 (in + out) bytes, backward the same again. It
// has no global or adaptive pool; they are counted as the average pools that they are.
#pragma once

#include "model/layers/layer_kind.hpp"
#include "model/layers/window.hpp"
#include "model/layers/work.hpp"

namespace ooc {

enum class PoolKind { kMax, kAverage };

/// max_pool and avg_pool: { "kernel": [3, 3], "stride": kernel, "padding": 0, "ceil": false }.
[[nodiscard]] LayerModel read_pool(const SpecView& spec, const LayerInputs& inputs, PoolKind kind);

/// Work and saves of a pool whose output is set in `model`.
void set_pool_work(const SpecView& spec, const LayerInputs& inputs, PoolKind kind, Wide visits,
                   LayerModel& model);

}  // namespace ooc
