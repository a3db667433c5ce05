// Reading and geometry of sliding windows.
#include "model/layers/window.hpp"

#include <fmt/format.h>

#include <optional>

#include "model/base/tensor_shape.hpp"
#include "model/layers/attributes.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

std::size_t spatial_rank(const SpecView& spec, const TensorShape& input) {
  if (input.dims.size() < 2 || input.dims.size() > 4) {
    spec.fail(fmt::format("an input of shape {}", input.text()),
              "channels first, then one to three spatial dimensions");
  }
  return input.dims.size() - 1;
}

void read_padding(const SpecView& spec, std::size_t rank, Window& window) {
  const std::optional<SpecView> padding = spec.find("padding");
  if (!padding) return;
  if (padding->type() == SpecType::kText) {
    window.rule =
        padding->as_choice({"same", "valid"}) == "same" ? PaddingRule::kSame : PaddingRule::kValid;
    return;
  }
  const std::vector<std::int64_t> numbers = *find_sizes(spec, "padding", rank, 0);
  for (std::size_t d = 0; d < rank; ++d) window.dims[d].padding = numbers[d];
}

Int128 positions(const WindowDim& dim, std::int64_t size, PaddingRule rule, Rounding rounding) {
  if (rule == PaddingRule::kSame) return (Int128{size} + dim.stride - 1) / dim.stride;
  const Int128 room = Int128{size} + 2 * Int128{dim.padding} - dim.extent();
  if (rounding == Rounding::kFloor) return room / dim.stride + 1;
  const Int128 rounded_up = (room + dim.stride - 1) / dim.stride + 1;
  const bool last_begins_behind_input = (rounded_up - 1) * dim.stride >= Int128{size} + dim.padding;
  return last_begins_behind_input ? rounded_up - 1 : rounded_up;
}

}  // namespace

Wide Window::taps() const {
  Wide result = 1;
  for (const WindowDim& dim : dims) result = result * dim.kernel;
  return result;
}

Window read_window(const SpecView& spec, const TensorShape& input, const WindowOptions& options) {
  const std::size_t rank = spatial_rank(spec, input);
  (void)spec.get("kernel");  // the one key without a default: an error where it is missing
  const std::vector<std::int64_t> kernel = *find_sizes(spec, "kernel", rank, 1);
  const std::optional stride = find_sizes(spec, "stride", rank, 1);
  std::optional<std::vector<std::int64_t>> dilation;
  if (options.dilation == Dilation::kAllowed) dilation = find_sizes(spec, "dilation", rank, 1);

  Window window;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t otherwise =
        options.default_stride == DefaultStride::kKernel ? kernel[d] : std::int64_t{1};
    window.dims.push_back({.kernel = kernel[d],
                           .stride = stride ? (*stride)[d] : otherwise,
                           .dilation = dilation ? (*dilation)[d] : std::int64_t{1}});
    if (window.dims.back().extent() > kMaxSize) {
      spec.get("kernel").fail("a dilated kernel of 2^48 pixels or more", "a smaller one");
    }
  }
  read_padding(spec, rank, window);
  return window;
}

std::span<const std::int64_t> spatial(const TensorShape& shape) {
  return std::span(shape.dims).subspan(1);
}

std::vector<std::int64_t> with_channels(std::int64_t channels,
                                        const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> dims;
  dims.reserve(sizes.size() + 1);
  dims.push_back(channels);
  for (const std::int64_t size : sizes) dims.push_back(size);
  return dims;
}

std::vector<std::int64_t> window_positions(const SpecView& spec, const Window& window,
                                           std::span<const std::int64_t> sizes, Rounding rounding) {
  if (rounding == Rounding::kCeil && window.rule != PaddingRule::kNumbers) {
    spec.get("ceil").fail("true beside padding in words", "ceil only with padding in numbers");
  }
  std::vector<std::int64_t> result;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const WindowDim& dim = window.dims[d];
    const Int128 padded = Int128{sizes[d]} + 2 * Int128{dim.padding};
    if (window.rule != PaddingRule::kSame && dim.extent() > padded) {
      spec.get("kernel").fail(
          fmt::format("a kernel that covers {} pixels of dimension {}",
                      wide_text(Wide::from(dim.extent())), d + 1),
          fmt::format("at most the padded input, {} pixels", wide_text(Wide::from(padded))));
    }
    // Below 2^51: stride >= 1, and size and padding are below 2^48 each.
    result.push_back(static_cast<std::int64_t>(positions(dim, sizes[d], window.rule, rounding)));
  }
  return result;
}

}  // namespace ooc
