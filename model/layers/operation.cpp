// Operations by their keys, in a fixed order.
#include "model/layers/operation.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace ooc {
namespace {

using Keys = std::vector<LayerOperation::Key>;

/// Padding on each side that gives `outputs` positions; none if no symmetric padding does.
std::optional<std::int64_t> symmetric_padding(const WindowDim& dim, PaddingRule rule,
                                              std::int64_t input, std::int64_t outputs) {
  if (rule != PaddingRule::kSame) return dim.padding;
  const Int128 missing = Int128{outputs - 1} * dim.stride + dim.extent() - input;
  const Int128 padding = missing <= 0 ? 0 : (missing + 1) / 2;
  const Int128 room = Int128{input} + 2 * padding - dim.extent();
  if (room < 0 || room / dim.stride + 1 != outputs) return std::nullopt;
  return static_cast<std::int64_t>(padding);
}

/// Of a pool.
Keys sizes(const TensorShape& input, const TensorShape& output) {
  return {{"channels", input.dims[0]},
          {"height", input.dims[1]},
          {"width", input.dims[2]},
          {"out_height", output.dims[1]},
          {"out_width", output.dims[2]}};
}

/// Kernel, stride and padding, as seen by the convolution or pool that leads from `large` to `small`.
bool add_window(Keys& keys, const Window& window, const TensorShape& large,
                const TensorShape& small) {
  const std::string_view suffixes[] = {"h", "w"};
  Keys paddings;
  for (std::size_t d = 0; d < 2; ++d) {
    const auto padding =
        symmetric_padding(window.dims[d], window.rule, large.dims[d + 1], small.dims[d + 1]);
    if (!padding) return false;
    paddings.push_back({fmt::format("pad_{}", suffixes[d]), *padding});
  }
  for (std::size_t d = 0; d < 2; ++d)
    keys.push_back({fmt::format("kernel_{}", suffixes[d]), window.dims[d].kernel});
  for (std::size_t d = 0; d < 2; ++d)
    keys.push_back({fmt::format("stride_{}", suffixes[d]), window.dims[d].stride});
  keys.insert(keys.end(), paddings.begin(), paddings.end());
  return true;
}

}  // namespace

OperationOrNone make_operation(std::string_view name, Keys keys) {
  return std::make_shared<const LayerOperation>(LayerOperation{name, std::move(keys)});
}

std::int64_t product_of(const TensorShape& shape, std::size_t first, std::size_t end) {
  std::int64_t result = 1;
  for (std::size_t d = first; d < end; ++d) result *= shape.dims[d];
  return result;
}

std::int64_t positions_behind_channels(const TensorShape& shape) {
  return product_of(shape, 1, shape.dims.size());
}

OperationOrNone elementwise_operation(std::string_view name, const TensorShape& shape) {
  return make_operation(name, {{"elements", product_of(shape, 0, shape.dims.size())}});
}

OperationOrNone channelwise_operation(std::string_view name, const TensorShape& shape) {
  const bool is_image = shape.dims.size() > 2;
  const std::int64_t channels = is_image ? shape.dims.front() : shape.dims.back();
  return make_operation(name, {{"channels", channels},
                               {"positions", product_of(shape, 0, shape.dims.size()) / channels},
                               {"channels_last", is_image ? 0 : 1}});
}

OperationOrNone convolution_operation(const Window& window, const TensorShape& input,
                                      const TensorShape& output,
                                      const ConvolutionChannels& channels, ConvolutionForm form) {
  if (window.dims.size() != 2) return nullptr;
  Keys keys{{"channels", input.dims[0]},    {"height", input.dims[1]},
            {"width", input.dims[2]},       {"filters", channels.filters},
            {"out_height", output.dims[1]}, {"out_width", output.dims[2]}};
  const bool transposed = form == ConvolutionForm::kTransposed;
  if (!add_window(keys, window, transposed ? output : input, transposed ? input : output)) {
    return nullptr;
  }
  keys.push_back({"dilation_h", window.dims[0].dilation});
  keys.push_back({"dilation_w", window.dims[1].dilation});
  keys.push_back({"groups", channels.groups});
  keys.push_back({"bias", channels.bias});
  return make_operation(transposed ? "conv_transpose" : "conv", std::move(keys));
}

OperationOrNone window_operation(std::string_view name, const Window& window,
                                 const TensorShape& input, const TensorShape& output) {
  if (window.dims.size() != 2) return nullptr;
  Keys keys = sizes(input, output);
  if (!add_window(keys, window, input, output)) return nullptr;
  return make_operation(name, std::move(keys));
}

OperationOrNone adaptive_pool_operation(const TensorShape& input, const TensorShape& output) {
  if (input.dims.size() != 3) return nullptr;
  return make_operation("adaptive_avg_pool", sizes(input, output));
}

OperationOrNone global_pool_operation(const TensorShape& input) {
  const std::int64_t height = input.dims[1];
  const std::int64_t width = product_of(input, 2, input.dims.size());
  return make_operation("avg_pool", {{"channels", input.dims[0]},
                                     {"height", height},
                                     {"width", width},
                                     {"out_height", 1},
                                     {"out_width", 1},
                                     {"kernel_h", height},
                                     {"kernel_w", width},
                                     {"stride_h", 1},
                                     {"stride_w", 1},
                                     {"pad_h", 0},
                                     {"pad_w", 0}});
}

OperationOrNone concat_operation(std::span<const TensorShape> inputs) {
  Keys keys;
  for (const TensorShape& shape : inputs) {
    keys.push_back({fmt::format("size{}", keys.size()), product_of(shape, 0, shape.dims.size())});
  }
  return make_operation("concat", std::move(keys));
}

OperationOrNone transpose_operation(const TensorShape& input,
                                    const std::vector<std::int64_t>& axes) {
  Keys keys{{"rank", static_cast<std::int64_t>(axes.size())}};
  for (std::size_t d = 0; d < axes.size(); ++d)
    keys.push_back({fmt::format("dim{}", d), input.dims[d]});
  for (std::size_t d = 0; d < axes.size(); ++d) keys.push_back({fmt::format("axis{}", d), axes[d]});
  return make_operation("transpose", std::move(keys));
}

}  // namespace ooc
