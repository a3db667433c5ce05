// Common code of conv, conv_transpose and linear. Their backward pass is split into the gradients
// of data and of weights. Native work follows from the sizes of operands X, Y, W and the
// multiply-accumulates.
//
//   forward           reads X, W and the bias, writes Y
//   backward-data     reads dY and W, writes dX
//   backward-weights  reads X and dY, writes dW and the bias's gradient
//
// Each of the three does forward_macs multiply-accumulates of 2 FLOPs, bias not counted. Unlike
// PALEO, the native model stuffs no zeros into gradients.
#pragma once

#include <cstdint>

#include "model/layers/layer_kind.hpp"
#include "model/layers/paleo_conv.hpp"
#include "model/layers/work.hpp"

namespace ooc {

/// Attributes of conv and conv_transpose apart from the window.
struct ConvolutionChannels {
  std::int64_t filters = 1;
  std::int64_t groups = 1;
  std::int64_t bias = 1;  ///< parameters a filter: 1 or 0
};

/// Reads filters, groups and bias. Groups must divide both numbers of channels.
[[nodiscard]] ConvolutionChannels read_channels(const SpecView& spec, const TensorShape& input);

struct WeightedSizes {
  Wide weights;
  Wide biases;
  Wide macs;
};

/// Sets parameters, MACs, work, saved tensors and backward form. Precondition: `model.output` is set.
void set_weighted_work(const SpecView& spec, const LayerInputs& inputs, const WeightedSizes& sizes,
                       LayerModel& model);

}  // namespace ooc
