// Sliding window of convolutions and pools: kernel, stride, padding and dilation by spatial
// dimension, and its number of positions. Padding is a number (for both sides), or "same" or
// "valid" as in TensorFlow: "same" covers the input with ceil(i / s) positions, an odd pixel of
// padding at the end; "valid" has no padding. `ceil` rounds the number of positions up; a last
// window that begins in the padding is dropped, as frameworks do.
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
enum class DefaultStride { kUnit, kKernel };
enum class Dilation { kAllowed, kUnknownKey };

/// Window in one spatial dimension.
struct WindowDim {
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;  ///< on each side; 0 under kSame and kValid
  std::int64_t dilation = 1;
  /// Returns the pixels from first to last under one position: dilation x (kernel - 1) + 1.
  [[nodiscard]] Int128 extent() const { return Int128{dilation} * (kernel - 1) + 1; }
};

struct Window {
  std::vector<WindowDim> dims;
  PaddingRule rule = PaddingRule::kNumbers;
  /// Returns the weights under the window: product of the kernel's sizes.
  [[nodiscard]] Wide taps() const;
};

struct WindowOptions {
  DefaultStride default_stride = DefaultStride::kUnit;
  Dilation dilation = Dilation::kAllowed;
};

/// Reads kernel, stride, padding and dilation for `input` (channels first), one to three spatial
/// dimensions. Each is one number per dimension, or one for all.
[[nodiscard]] Window read_window(const SpecView& spec, const TensorShape& input,
                                 const WindowOptions& options);

/// Returns the sizes of an image without the channels.
[[nodiscard]] std::span<const std::int64_t> spatial(const TensorShape& shape);

/// Returns the shape [channels, sizes...].
[[nodiscard]] std::vector<std::int64_t> with_channels(std::int64_t channels,
                                                      const std::vector<std::int64_t>& sizes);

/// Returns the number of positions of the window on `sizes`, by dimension. Throws SpecError at `spec` for a kernel
/// larger than the padded input, and for "ceil" with "same" or "valid", which fix the rounding.
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

/// Reads a pool: { "kernel": [3, 3], "stride": kernel, "padding": 0, "ceil": false }.
[[nodiscard]] LayerModel read_pool(const SpecView& spec, const LayerInputs& inputs, PoolKind kind);

/// Sets work and saved tensors. Precondition: `model.output` is set. `visits`: pixels under all windows, with repeats.
void set_pool_work(const SpecView& spec, const LayerInputs& inputs, PoolKind kind, Wide visits,
                   LayerModel& model);

}  // namespace ooc
