// What conv, conv_transpose and linear share: layers with weights whose backward pass is split into
// the gradient of the data and the gradient of the weights, and whose native work follows from the
// sizes of their operands X, Y, W and the multiply-accumulates.
//
//   forward           reads X, W and the bias, writes Y
//   backward-data     reads dY and W, writes dX
//   backward-weights  reads X and dY, writes dW and the bias's gradient
//
// Each of the three does forward_macs multiply-accumulates = 2 FLOPs each (bias not counted): the
// native model stuffs no zeros into gradients, unlike PALEO's.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/layers/layer_kind.hpp"
#include "model/layers/paleo_conv.hpp"
#include "model/layers/work.hpp"

namespace ooc {

/// Attributes of conv and conv_transpose beside the window.
struct ConvolutionChannels {
  std::int64_t filters = 1;
  std::int64_t groups = 1;
  std::int64_t bias = 1;  ///< parameters per filter: 1 or 0
};

/// Reads filters, groups and bias; groups must divide both numbers of channels.
[[nodiscard]] ConvolutionChannels read_channels(const SpecView& spec, const TensorShape& input);

struct WeightedSizes {
  Wide weights;
  Wide biases;
  Wide macs;
};

/// parameters, forward_macs, work, saves and form of a layer with weights; `model.output` is set.
void set_weighted_work(const SpecView& spec, const LayerInputs& inputs, const WeightedSizes& sizes,
                       LayerModel& model);

}  // namespace ooc
