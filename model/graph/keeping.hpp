// Differences between frameworks in the tensors that forward saves for backward (docs/model.md, 3).
// Defaults describe an ideal framework, which saves only what backward needs.
#pragma once

#include <cstdint>
#include <optional>

#include "model/base/precision.hpp"

namespace ooc {

/// Tensor saved for activations whose derivative follows from input or output (relu, sigmoid, tanh).
enum class KeptActivation {
  kOutput,
  kInput,  ///< input of relu, elu, ..., if out of place; else the output
  kBoth,
};

/// Tensor saved for activations with two limits (relu6, hardsigmoid), and for leaky_relu and elu.
enum class KeptOfClamps {
  kAsActivations,
  kInput,  ///< input: of relu6 and hardsigmoid always, of the others if out of place
};

/// Tensor saved for a slice whose value backward reads.
enum class KeptOfSlices {
  kSlice,
  kWhole,  ///< the whole tensor, of which the slice is a view
};

/// Rule for activations and dropout that may overwrite their input, if the file does not say.
enum class InPlaceRule {
  kAlways,        ///< as kWhenPossible, and sigmoid and tanh
  kWhenPossible,  ///< relu and its kin, and dropout, run in place if that is safe
  kNever,
};

enum class KeptOfPools {
  kInputAndOutput,   ///< input and output of max pools; average pools save nothing
  kInputAndIndices,  ///< max pools: input, and 8 bytes an index; average pools: input
};

enum class KeptOfNorms {
  kInput,
  kInputAndStatistics,  ///< the input, and each row's or channel's mean and deviation in float32
};

/// Tensor saved for softmax, alone, in attention or before a loss.
enum class KeptOfSoftmax {
  kOutput,
  kInputAndOutput,  ///< the input is saved as well, though backward does not read it
};

/// Destination of the gradient of an in-place layer.
enum class InPlaceGradients {
  kAsForward,  ///< overwrites the gradient that backward reads
  kNever,      ///< a buffer of its own
};

/// Gradients of the inputs of a sum, all equal to the gradient of its output.
enum class GradientSharing {
  kCopy,          ///< a copy for each further input
  kUntilWritten,  ///< one shared buffer, until a task adds to it or overwrites it
};

struct Keeping {
  KeptActivation activations = KeptActivation::kOutput;
  KeptOfClamps clamps = KeptOfClamps::kAsActivations;
  KeptOfSlices slices = KeptOfSlices::kSlice;
  InPlaceRule in_place = InPlaceRule::kWhenPossible;
  KeptOfPools pools = KeptOfPools::kInputAndOutput;
  std::int64_t mask_bytes = 1;  ///< bytes an element of dropout's mask
  KeptOfNorms norms = KeptOfNorms::kInput;
  KeptOfSoftmax softmax = KeptOfSoftmax::kOutput;
  bool fuses = false;  ///< true: values inside fused kernels are not saved (Fusion::kAll)
  std::optional<Dtype> loss_dtype = {};  ///< type of a loss's output, if wider; unset: network's
  InPlaceGradients in_place_gradients = InPlaceGradients::kAsForward;
  GradientSharing gradients = GradientSharing::kCopy;

  bool operator==(const Keeping&) const = default;
};

}  // namespace ooc
