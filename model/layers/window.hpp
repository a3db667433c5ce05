// The sliding window of convolutions and pools: kernel, stride, padding and dilation in each
// spatial dimension, and how many positions it has. Padding is given as numbers (on both sides) or
// as "same" or "valid" with TensorFlow's meaning: same covers the input with ceil(i / s) positions,
// the odd pixel of padding at the end; valid has no padding. `ceil` rounds the number of positions
// up, as frameworks do: a last window that would begin in the padding behind the input is dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/base/spec_tree.hpp"
#include "model/base/tensor_shape.hpp"
#include "model/layers/wide.hpp"

namespace ooc {

enum class PaddingRule { kNumbers, kSame, kValid };
enum class Rounding { kFloor, kCeil };
enum class DefaultStride { kUnit, kKernel };
enum class Dilation { kAllowed, kUnknownKey };

/// One spatial dimension of a window.
struct WindowDim {
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;  ///< on each side; 0 under kSame and kValid
  std::int64_t dilation = 1;
  /// From the first to the last pixel that one position covers: dilation x (kernel - 1) + 1.
  [[nodiscard]] Int128 extent() const { return Int128{dilation} * (kernel - 1) + 1; }
};

struct Window {
  std::vector<WindowDim> dims;
  PaddingRule rule = PaddingRule::kNumbers;
  /// Weights under the window: the product of the kernel.
  [[nodiscard]] Wide taps() const;
};

struct WindowOptions {
  DefaultStride default_stride = DefaultStride::kUnit;
  Dilation dilation = Dilation::kAllowed;
};

/// Reads kernel, stride, padding and dilation for `input` (channels first): one number per spatial
/// dimension, or one for all. One to three spatial dimensions.
[[nodiscard]] Window read_window(const SpecView& spec, const TensorShape& input,
                                 const WindowOptions& options);

/// The spatial sizes without the channels.
[[nodiscard]] std::span<const std::int64_t> spatial(const TensorShape& shape);

/// [channels, sizes...].
[[nodiscard]] std::vector<std::int64_t> with_channels(std::int64_t channels,
                                                      const std::vector<std::int64_t>& sizes);

/// Positions of the window on `sizes`; an error at `spec` where a kernel is larger than its padded
/// input. "ceil" with "same" or "valid" is refused: those say how to round themselves.
[[nodiscard]] std::vector<std::int64_t> window_positions(const SpecView& spec, const Window& window,
                                                         std::span<const std::int64_t> sizes,
                                                         Rounding rounding);

}  // namespace ooc
