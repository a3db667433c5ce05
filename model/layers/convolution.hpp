// Common code of conv, conv_transpose and linear. Their backward pass is split into the gradients of data and of
// weights. Native work follows from the sizes of operands X, Y, W and the multiply-accumulates.
//
//   forward           reads X, W and the bias, writes Y
//   backward-data     reads dY and W, writes dX
//   backward-weights  reads X and dY, writes dW and the bias's gradient
//
// Each of the three does forward_macs multiply-accumulates of 2 FLOPs, bias not counted. Unlike
// PALEO, the native model stuffs no zeros into gradients.
#pragma once

#include <cstdint>
#include <vector>

#include "model/layers/layer_kind.hpp"
#include "model/layers/window.hpp"
#include "model/layers/work.hpp"

namespace ooc {

/// Attributes of conv and conv_transpose beside the window (window.hpp).
struct ConvolutionChannels {
  std::int64_t filters = 1;
  std::int64_t groups = 1;
  std::int64_t bias = 1;  ///< parameters a filter: 1 or 0
};

/// Reads filters, groups and bias. Throws SpecError if groups do not divide the channels of input or output.
[[nodiscard]] ConvolutionChannels read_channels(const SpecView& spec, const TensorShape& input);

/// Numbers of a layer with a weight matrix.
struct WeightedSizes {
  Wide weights;
  Wide biases;
  Wide macs;  ///< multiply-accumulates per sample, forward
};

/// Sets parameters, forward_macs, work, saves and backward_form of `model`. Precondition: `model.output` is set.
void set_weighted_work(const SpecView& spec, const LayerInputs& inputs, const WeightedSizes& sizes,
                       LayerModel& model);

// Cost of a convolution in PALEO (Qi, Sparks & Talwalkar, ICLR 2017; its GEMM algorithm), for `--compute paleo`. The
// data gradient is a zero-stuffed convolution of stride 1; the filter gradient convolves the input with the stuffed
// gradient. 1 MAC = 2 FLOP, 4 bytes an element, padding counted, bias not.
//
// Let e be the stuffed extent of the output: (o - 1) x s + 1, and one more when that leaves the padding one pixel
// lopsided. PALEO pads the two backward convolutions to the extents of the input (e + 2p = i + k - 1) and of the
// kernel (i + 2p = k + e - 1). It stops at an assertion where its own padding cannot do that (even kernels with SAME,
// VALID with a remainder of 2 or more, ...). We count the right-hand sides: equal wherever PALEO has an answer (all
// 309 cases of tests/data/paleo-ref), and an answer elsewhere.
//
// PALEO's FLOPs of the filter gradient have floating-point noise, since it scales by a ratio of holes. They equal the
// forward FLOPs, which we take. Not in PALEO: groups (the filter holds in_channels / groups channels), dilation (the
// kernel's extent counts for the geometry), one and three dimensions.

struct PaleoConvDim {
  std::int64_t input = 1;
  std::int64_t output = 1;
  std::int64_t stride = 1;
  std::int64_t kernel = 1;   ///< pixels from first to last under the kernel, dilation included
  std::int64_t padding = 0;  ///< on each side, by PALEO's rule; -1 for "same", 1x1, stride 2

  [[nodiscard]] std::int64_t padded_input() const { return input + 2 * padding; }
  /// Returns e of the equations above: pixels of the output gradient with stride - 1 zeros between them.
  [[nodiscard]] std::int64_t stuffed() const;
};

struct PaleoConv {
  std::int64_t in_channels = 1;
  std::int64_t out_channels = 1;
  std::int64_t groups = 1;
  Wide taps;  ///< weights for each pair of input and output channel
  std::vector<PaleoConvDim> dims = {};

  [[nodiscard]] Traffic forward() const;
  [[nodiscard]] Traffic backward_data() const;
  [[nodiscard]] Traffic backward_filter() const;
};

/// Returns PALEO's sizes of the convolution with `window` from `input` to `output`, both channels first.
[[nodiscard]] PaleoConv make_paleo_conv(const Window& window, const TensorShape& input,
                                        const TensorShape& output, std::int64_t groups);

}  // namespace ooc
