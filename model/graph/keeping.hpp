// Differences between frameworks in the tensors that forward saves for backward (docs/model.md, 3).
// Defaults describe an ideal framework, which saves only what backward needs.
#pragma once

#include <cstdint>
#include <optional>

#include "model/base/precision.hpp"

namespace ooc {

/// Tensor saved for activations whose derivative follows from the output (relu, sigmoid, tanh).
enum class KeptActivation {
  kOutput,
  kInput,  ///< the input, if Saves::input_serves and out of place; else the output
  kBoth,   ///< input and output
};

/// Tensor saved for activations with two limits (relu6, hardsigmoid), and for leaky_relu and elu.
enum class KeptOfClamps {
  kAsActivations,  ///< as KeptActivation says
  kInput,          ///< the input: of relu6 and hardsigmoid always, of the others if out of place
};

/// Tensor saved for a slice whose value backward reads.
enum class KeptOfSlices {
  kSlice,  ///< the slice alone
  kWhole,  ///< the whole tensor, of which the slice is a view
};

/// Rule for activations and dropout that may overwrite their input, if the file does not say.
enum class InPlaceRule {
  kAlways,        ///< relu and its kin, dropout, sigmoid and tanh run in place if that is safe
  kWhenPossible,  ///< as kAlways, without sigmoid and tanh
  kNever,
};

/// Tensors saved for pools.
enum class KeptOfPools {
  kInputAndOutput,   ///< max pools: input and output; average pools: nothing
  kInputAndIndices,  ///< max pools: input, and an index of 8 bytes an output; average pools: input
};

/// Tensors saved for normalisations.
enum class KeptOfNorms {
  kInput,
  kInputAndStatistics,  ///< input, and in float32 the statistics of each row, channel or group
};

/// Tensor saved for softmax, alone, in attention or before a loss.
enum class KeptOfSoftmax {
  kOutput,
  kInputAndOutput,  ///< the input is saved as well, though backward does not read it
};

/// Destination of the input gradient of a layer that ran in place.
enum class InPlaceGradients {
  kAsForward,  ///< the buffer of the output gradient, which is overwritten
  kNever,      ///< a new buffer
};

/// Buffers of the gradients of a sum's inputs, which all equal the gradient of the sum.
enum class GradientSharing {
  kCopy,          ///< the gradient of the sum for one input, and a copy for each other input
  kUntilWritten,  ///< one shared buffer, until a task adds to the buffer or overwrites it
};

struct Keeping {
  KeptActivation activations = KeptActivation::kOutput;
  KeptOfClamps clamps = KeptOfClamps::kAsActivations;
  KeptOfSlices slices = KeptOfSlices::kSlice;
  InPlaceRule in_place = InPlaceRule::kWhenPossible;
  KeptOfPools pools = KeptOfPools::kInputAndOutput;
  std::int64_t mask_bytes = 1;  ///< bytes of an element of dropout's mask
  KeptOfNorms norms = KeptOfNorms::kInput;
  KeptOfSoftmax softmax = KeptOfSoftmax::kOutput;
  bool four_bit_inputs =
      false;  ///< true: products with 4-bit weights save their input, which backward does not read
  bool fuses = false;  ///< true: values inside fused kernels are not saved (Fusion::kAll)
  std::optional<Dtype> loss_dtype = {};  ///< type of a loss's output, if wider; unset: network's
  InPlaceGradients in_place_gradients = InPlaceGradients::kAsForward;
  GradientSharing gradients = GradientSharing::kCopy;

  bool operator==(const Keeping&) const = default;
};

}  // namespace ooc
