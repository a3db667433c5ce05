// Sliding window of convolutions and pools: kernel, stride, padding and dilation by spatial dimension, and its number
// of positions. Padding is a number (for both sides), or "same" or "valid" as in TensorFlow: "same" covers the input
// with ceil(i / s) positions, an odd pixel of padding at the end; "valid" has no padding. `ceil` rounds the number of
// positions up; a last window that begins in the padding is dropped, as frameworks do.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/base/spec_tree.hpp"
#include "model/base/tensor_shape.hpp"
#include "model/layers/layer_kind.hpp"
#include "model/layers/wide.hpp"
#include "model/layers/work.hpp"

namespace ooc {

enum class PaddingRule { kNumbers, kSame, kValid };
enum class Rounding { kFloor, kCeil };
enum class DefaultStride { kUnit, kKernel };    ///< without "stride": 1, or the kernel's size
enum class Dilation { kAllowed, kUnknownKey };  ///< kUnknownKey: "dilation" is an unknown key

/// Window in one spatial dimension.
struct WindowDim {
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;  ///< on each side; 0 under kSame and kValid
  std::int64_t dilation = 1;
  /// Returns the number of pixels from the first to the last under the kernel: dilation x (kernel - 1) + 1.
  [[nodiscard]] Int128 extent() const { return Int128{dilation} * (kernel - 1) + 1; }
};

struct Window {
  std::vector<WindowDim> dims;
  PaddingRule rule = PaddingRule::kNumbers;
  /// Returns the number of weights in the window: the product of the kernel's sizes.
  [[nodiscard]] Wide taps() const;
};

struct WindowOptions {
  DefaultStride default_stride = DefaultStride::kUnit;
  Dilation dilation = Dilation::kAllowed;
};

/// Reads kernel, stride, padding and dilation: a number for each spatial dimension, or one for all. `input`: channels
/// first; throws SpecError at `spec` unless one to three spatial dimensions follow.
[[nodiscard]] Window read_window(const SpecView& spec, const TensorShape& input,
                                 const WindowOptions& options);

/// Returns the number of spatial dimensions. Throws SpecError at `spec` for none or more than three.
[[nodiscard]] std::size_t spatial_rank(const SpecView& spec, const TensorShape& input);

/// Returns the dimensions of `shape` without the first, the channels.
[[nodiscard]] std::span<const std::int64_t> spatial(const TensorShape& shape);

/// Returns the dimensions [channels, sizes...].
[[nodiscard]] std::vector<std::int64_t> with_channels(std::int64_t channels,
                                                      const std::vector<std::int64_t>& sizes);

/// Returns, by dimension, the number of positions of the window on an input of `sizes`. Throws SpecError at `spec` for
/// a kernel larger than the padded input, and for kCeil with "same" or "valid", which fix the rounding.
[[nodiscard]] std::vector<std::int64_t> window_positions(const SpecView& spec, const Window& window,
                                                         std::span<const std::int64_t> sizes,
                                                         Rounding rounding);

// Common code of pooling kinds.
//
// Native work per sample, with `in` and `out` elements and `visits` = pixels that all windows cover
// (kernel x out, for sliding windows):
//   forward   reads X, writes Y;  visits FLOPs (an addition or a comparison each)
//   backward  max: reads X, Y and dY, writes dX;  average: reads dY, writes dX;  visits FLOPs
// Saved: input and output for max, nothing for average (docs/model.md, 3).
//
// PALEO: for max and average 2 x visits FLOPs and 4 (in + out) bytes, in backward again. PALEO has
// no global or adaptive pools; they count as average pools.

enum class PoolKind { kMax, kAverage };

/// Reads a pool: { "kernel": [3, 3], "stride": 2, "padding": 0, "ceil": false }. Default stride: the kernel's size.
[[nodiscard]] LayerModel read_pool(const SpecView& spec, const LayerInputs& inputs, PoolKind kind);

/// Sets work and saved tensors of `model`, whose output must be set. `visits`: number of pixels of all windows.
void set_pool_work(const SpecView& spec, const LayerInputs& inputs, PoolKind kind, Wide visits,
                   LayerModel& model);

}  // namespace ooc
