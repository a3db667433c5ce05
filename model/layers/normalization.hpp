// What the normalisations share. All but rms_norm: a mean and a variance, then y = gamma x^ + beta with two
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
  std::int64_t vectors = 2;  ///< of parameters: gamma and beta
};

/// Forward reads X `passes` times, gamma and beta, and writes Y; backward reads X and dY `passes`
/// times and gamma, and writes dX and the gradients of gamma and beta.
[[nodiscard]] LayerModel make_normalization(const SpecView& spec, const LayerInputs& inputs,
                                            const NormalizationTraits& traits);

/// Of a sample's channels in `groups`; "affine": false is without gamma and beta. A group of a map does not fit on
/// chip: two passes. Saves its input; where frameworks keep statistics, two of each group. Unlike batch_norm it does
/// not see how a batch is cut into rounds.
[[nodiscard]] LayerModel make_group_normalization(const SpecView& spec, const LayerInputs& inputs,
                                                  std::int64_t groups);

/// Over which channels layer_norm and rms_norm work: the last dimension of [features] and [steps,
/// features], the first of an image [C, H, W].
[[nodiscard]] std::int64_t channels_of_rows(const TensorShape& shape);

/// How rows are normalised: by one kernel, or by a chain of element-wise ones in float32, as models
/// written out in Python do, which keep what each of those needs.
enum class NormForm { kFused, kEager };
/// "form"; fused where it is left out.
[[nodiscard]] NormForm read_norm_form(const SpecView& spec);

inline constexpr std::int64_t kNormStatisticBytes = 4;  ///< of a row, always float32

/// Eager: in place of the input, per element what is normalised in float32 and the normalised value
/// before the weight, and 4 bytes a row. Of kInput the former is the input, if that is float32.
/// Every operation of the chain reads and writes whole tensors, in float32 between the casts to it and back:
/// forward square, mean, times 1 / rms, times the weight (own operand: mean and difference before them); backward
/// PyTorch's derivatives of these, one after the other.
enum class FirstOperand { kInput, kOwn };
void set_eager_form(const SpecView& spec, const LayerInputs& inputs, std::int64_t rows,
                    FirstOperand first, LayerModel& model);

}  // namespace ooc
