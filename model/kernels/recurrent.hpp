// Cost of a recurrent layer in one direction. Each step has the product with the hidden state and
// the gates. The product with the input covers all steps at once, as does the product for the
// weight gradients. docs/model.md, 1.2.
//
//   forward        T (P(G h, b, h) f + gates + step)     (+ P(G h, b T, x) for the input)
//   backward data  T (P(h, b, G h) g + 2 gates + step)   (+ P(x, b T, G h))
//   weights        P(G h, h, b T)                        (+ P(G h, x, b T))
//
// Fitted on single layers (DeepBench) without their input product. Layers do not overlap here,
// unlike cuDNN's.
#pragma once

#include "model/kernels/platform.hpp"

namespace ooc {

enum class RecurrentCellKind { kVanilla, kLstm, kGru };

struct RecurrentKernel {
  RecurrentCellKind cell = RecurrentCellKind::kLstm;
  double hidden = 1;
  double batch = 1;
  double steps = 1;
  double features = 0;  ///< of the input; 0: without the input product
  Dtype dtype = Dtype::kFloat32;
};

struct RecurrentTimes {
  double forward = 0;
  double backward_data = 0;
  double backward_weights = 0;
};

[[nodiscard]] RecurrentTimes recurrent_times(const RecurrentKernel& kernel,
                                             const KernelPlatform& platform);

}  // namespace ooc
