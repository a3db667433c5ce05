// Common code of normalisations. All but rms_norm compute a mean and a variance, then y = gamma x^
// + beta, with two parameters a channel. Running statistics are not counted.
//
// FLOPs per element: forward 5 (sum, square and sum of squares: 3; y = a x + b with a and b per row: 2); backward 9
// (sums of dy and of dy x^, 5; dx = a dy + b x + c, 4). Saved: the input; the small statistics of rows are not counted
// (docs/model.md, 3). Backward is one fused task. PALEO counts nothing.
#pragma once

#include <cstdint>

#include "model/layers/layer_kind.hpp"

namespace ooc {

struct NormalizationTraits {
  std::int64_t channels = 1;  ///< parameters of each vector
  std::int64_t passes = 1;    ///< times that the input is read: 1 if a row fits on chip, else 2
  std::int64_t vectors = 2;   ///< parameter vectors: 2 (gamma, beta), 1 (gamma) or 0
};

/// Returns the model of a normalisation. Forward reads X `passes` times, gamma and beta, and writes Y.
/// Backward reads X and dY `passes` times and gamma, and writes the gradients of X, gamma and beta.
[[nodiscard]] LayerModel make_normalization(const SpecView& spec, const LayerInputs& inputs,
                                            const NormalizationTraits& traits);

/// Returns the number of parameter vectors: 0 if "affine" in `spec` is false, else 2 (gamma, beta).
[[nodiscard]] std::int64_t vectors_if_affine(const SpecView& spec);

/// Returns a model that normalises each sample's channels in `groups`. Reads "affine". The input is read
/// twice, since a group does not fit on chip. Saved are the input and, if the framework does so, two
/// statistics a group. Unlike batch_norm, results do not depend on the micro-batch.
[[nodiscard]] LayerModel make_group_normalization(const SpecView& spec, const LayerInputs& inputs,
                                                  std::int64_t groups);

/// Returns the length of the parameter vectors of layer_norm and rms_norm: the last dimension of
/// [features] and [steps, features], the first of an image [C, H, W].
[[nodiscard]] std::int64_t channels_of_rows(const TensorShape& shape);

/// Implementation of a norm: one kernel; or a chain of element-wise kernels in float32, as in models written
/// in Python, each of which saves its own operands. kEagerFloat32: the weight is multiplied before the cast
/// back, so the normalised value is saved in float32 (Gemma, OLMo 2, litgpt).
enum class NormForm { kFused, kEager, kEagerFloat32 };
/// Reads "form": "fused" (default), "eager" or "eager_float32".
[[nodiscard]] NormForm read_norm_form(const SpecView& spec);

inline constexpr std::int64_t kNormStatisticBytes = 4;  ///< bytes of a statistic, always float32

/// Value that the eager form normalises. kInput: the input in float32; kOwn: its difference to the mean.
enum class FirstOperand { kInput, kOwn };
/// Sets work and saved tensors of the eager form, a norm of `rows` rows a sample. Saved are, per element, the
/// float32 value to normalise (with kInput the input itself, if float32) and the normalised value, and 4 bytes
/// a row. Forward, in float32: square, mean, times 1 / rms, times the weight; with kOwn first mean and
/// difference. Backward: PyTorch's derivatives, one by one. Each kernel reads and writes whole tensors.
void set_eager_form(const SpecView& spec, const LayerInputs& inputs, std::int64_t rows,
                    FirstOperand first, LayerModel& model);

}  // namespace ooc
