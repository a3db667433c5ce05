// Common code of element-wise activations. Per sample of e elements:
//   forward   reads X, writes Y:                     2 e elements
//   backward  reads what is saved and dY, writes dX: 3 e elements
// In-place execution saves memory, not traffic. Each kind states its FLOPs per element, which
// hardly matter: these layers are bound by memory. PALEO counts nothing for activations
// (docs/paleo.md, 2).
//
// Kinds that save their output can run in place. Kinds that save their input cannot, since they
// would overwrite it.
#pragma once

#include <cstdint>

#include "model/layers/layer_kind.hpp"

namespace ooc {

/// Tensor that backward of an activation reads.
enum class ActivationSaves { kInput, kOutput };

struct ActivationTraits {
  std::int64_t forward_flops = 1;   ///< FLOPs per element
  std::int64_t backward_flops = 1;  ///< FLOPs per element
  ActivationSaves saves = ActivationSaves::kOutput;
  InPlace in_place = InPlace::kNever;  ///< default, for files without "in_place"
  // As the flags of Saves (layer_kind.hpp) with the same names:
  bool input_serves = false;
  bool input_out_of_place = false;
  bool clamps = false;
};

/// Reads an activation. Throws SpecError for "in_place": true if backward reads the input.
[[nodiscard]] LayerModel read_activation(const SpecView& spec, const LayerInputs& inputs,
                                         const ActivationTraits& traits);
template <const ActivationTraits& kTraits>
[[nodiscard]] LayerModel read_activation(const SpecView& spec, const LayerInputs& inputs) {
  return read_activation(spec, inputs, kTraits);
}

}  // namespace ooc
