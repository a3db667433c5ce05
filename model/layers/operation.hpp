// How kinds state what a device would do for them (LayerOperation): names
// and keys. Where the table has nothing for a shape (images of one or three dimensions, padding that
// is not symmetric), these return none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "model/layers/convolution.hpp"
#include "model/layers/layer_kind.hpp"
#include "model/layers/window.hpp"

namespace ooc {

using OperationOrNone = std::shared_ptr<const LayerOperation>;

[[nodiscard]] OperationOrNone make_operation(std::string_view name,
                                             std::vector<LayerOperation::Key> keys);

/// Dimensions [first, end) multiplied. The shape's elements are known to fit.
[[nodiscard]] std::int64_t product_of(const TensorShape& shape, std::size_t first, std::size_t end);
/// Elements of one channel, the first dimension.
[[nodiscard]] std::int64_t positions_behind_channels(const TensorShape& shape);

[[nodiscard]] OperationOrNone elementwise_operation(std::string_view name,
                                                    const TensorShape& shape);
/// Over the channels of each position: the last dimension of [features] and [steps, features], the
/// first of an image.
[[nodiscard]] OperationOrNone channelwise_operation(std::string_view name,
                                                    const TensorShape& shape);

enum class ConvolutionForm { kPlain, kTransposed };
[[nodiscard]] OperationOrNone convolution_operation(const Window& window, const TensorShape& input,
                                                    const TensorShape& output,
                                                    const ConvolutionChannels& channels,
                                                    ConvolutionForm form);
/// A sliding-window pool.
[[nodiscard]] OperationOrNone window_operation(std::string_view name, const Window& window,
                                               const TensorShape& input, const TensorShape& output);
[[nodiscard]] OperationOrNone adaptive_pool_operation(const TensorShape& input,
                                                      const TensorShape& output);
[[nodiscard]] OperationOrNone global_pool_operation(const TensorShape& input);
/// Along the first dimension.
[[nodiscard]] OperationOrNone concat_operation(std::span<const TensorShape> inputs);
[[nodiscard]] OperationOrNone transpose_operation(const TensorShape& input,
                                                  const std::vector<std::int64_t>& axes);

}  // namespace ooc
