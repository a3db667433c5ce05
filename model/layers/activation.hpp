// What the element-wise activations share. Per sample of e elements:
//   forward   reads X, writes Y:                     2 e elements
//   backward  reads what is saved and dY, writes dX: 3 e elements
// Working in place saves memory, not traffic: the same bytes are counted. FLOPs per element are
// stated by each kind; they hardly matter, since these layers are bound by memory. PALEO counts
// nothing for any of them (also sigmoid; docs/paleo.md, 2).
//
// A kind that saves its output can work in place; one that saves its input cannot, since it would
// overwrite what its backward pass reads.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/layers/layer_kind.hpp"

namespace ooc {

enum class ActivationSaves { kInput, kOutput };

struct ActivationTraits {
  std::int64_t forward_flops = 1;   ///< per element
  std::int64_t backward_flops = 1;  ///< per element
  ActivationSaves saves = ActivationSaves::kOutput;
  InPlace in_place = InPlace::kNever;  ///< where the file does not say
};

/// Reads { "in_place": ... } and states the work.
[[nodiscard]] LayerModel read_activation(const SpecView& spec, const LayerInputs& inputs,
                                         const ActivationTraits& traits);

}  // namespace ooc
