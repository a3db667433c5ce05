// The price of a recurrent layer in one direction: per step the product with the hidden state and
// the arithmetic of the gates; the product with the input over all steps at once, and likewise one
// product for the weights' gradient. docs/model.md, 1.2.
//
//   forward        T (P(G h, b, h) f + gates + step)     (+ P(G h, b T, x) for the input)
//   backward data  T (P(h, b, G h) g + 2 gates + step)   (+ P(x, b T, G h))
//   weights        P(G h, h, b T)                        (+ P(G h, x, b T))
//
// Fitted on single layers (DeepBench), whose input product is left out: layers do not overlap here,
// as cuDNN's do.
#pragma once

#include "model/kernels/platform.hpp"

namespace ooc {

enum class RecurrentCellKind { kVanilla, kLstm, kGru };

struct RecurrentKernel {
  RecurrentCellKind cell = RecurrentCellKind::kLstm;
  double hidden = 1;
  double batch = 1;
  double steps = 1;
  double features = 0;  ///< of the input; 0: its product is not counted
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
