// What batch_norm and layer_norm share: a mean and a variance, then y = gamma x^ + beta with two
// parameters per channel (running statistics are no parameters and not counted).
//
// FLOPs per element: forward 5 (sum, square and sum of squares: 3; y = a x + b with a and b per
// row: 2); backward 9 (sums of dy and of dy x^, 5; dx = a dy + b x + c, 4). Saves its input; the
// per-row statistics are small and not counted (docs/model.md, 3: "per-channel statistics not").
// The backward pass is one fused task. PALEO counts nothing.
#pragma once

#include <cstdint>

#include "model/layers/layer_kind.hpp"

namespace ooc {

struct NormalizationTraits {
  std::int64_t channels = 1;
  std::int64_t passes = 1;  ///< how often the input is read: once if a row fits on chip, else twice
};

/// Forward reads X `passes` times, gamma and beta, and writes Y; backward reads X and dY `passes`
/// times and gamma, and writes dX and the gradients of gamma and beta.
[[nodiscard]] LayerModel make_normalization(const SpecView& spec, const LayerInputs& inputs,
                                            const NormalizationTraits& traits);

}  // namespace ooc
