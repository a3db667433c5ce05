// Reading and geometry of sliding windows.
#include "model/layers/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "model/layers/attributes.hpp"

namespace ooc {
namespace {

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

std::size_t spatial_rank(const SpecView& spec, const TensorShape& input) {
  if (input.dims.size() < 2 || input.dims.size() > 4) {
    spec.fail(fmt::format("an input of shape {}", input.text()),
              "channels first, then one to three spatial dimensions");
  }
  return input.dims.size() - 1;
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

// Sliding-window pools and the work of all pools.

namespace {

/// Frameworks refuse a window that may lie in the padding alone: its maximum would be nothing.
void check_padding(const SpecView& spec, const Window& window) {
  for (const WindowDim& dim : window.dims) {
    if (dim.padding >= dim.kernel) {
      spec.get("padding").fail(fmt::format("{}", dim.padding),
                               fmt::format("less than the kernel, {}", dim.kernel));
    }
  }
}

bool is_identity(const Window& window) {
  return std::ranges::all_of(
      window.dims, [](const WindowDim& dim) { return dim.kernel == 1 && dim.stride == 1; });
}

}  // namespace

void set_pool_work(const SpecView& spec, const LayerInputs& inputs, PoolKind kind, Wide visits,
                   LayerModel& model) {
  const Wide touched = elements(inputs.shapes[0]) + elements(model.output);
  const Wide element = inputs.element_bytes();
  const Wide backward_passes = kind == PoolKind::kMax ? 2 : 1;
  model.work.forward = to_task_work(spec, {visits, element * touched, 0});
  model.work.backward_data = to_task_work(spec, {visits, element * touched * backward_passes, 0});
  model.paleo_work.forward =
      to_task_work(spec, {Wide(2) * visits, Wide(kPaleoElementBytes) * touched, 0});
  model.paleo_work.backward_data = model.paleo_work.forward;
  model.saves.inputs = kind == PoolKind::kMax;
  model.saves.output = kind == PoolKind::kMax;
  if (kind == PoolKind::kMax) {
    model.saves.places = to_count(spec, elements(model.output), "maxima a sample");
  } else {
    model.saves.input_for_shape = true;
  }
  model.is_feature_extractor = true;
}

LayerModel read_pool(const SpecView& spec, const LayerInputs& inputs, PoolKind kind) {
  const TensorShape& input = single_input(spec, inputs);
  const Window window = read_window(spec, input, {DefaultStride::kKernel, Dilation::kUnknownKey});
  check_padding(spec, window);
  const Rounding rounding = spec.flag("ceil") ? Rounding::kCeil : Rounding::kFloor;
  const std::vector<std::int64_t> sizes = window_positions(spec, window, spatial(input), rounding);

  LayerModel model;
  model.output = output_shape(spec, inputs, with_channels(input.dims[0], sizes));
  set_pool_work(spec, inputs, kind, window.taps() * elements(model.output), model);
  model.pooled = to_count(spec, elements(input), "elements a sample");
  model.is_view = kind == PoolKind::kAverage && is_identity(window);
  return model;
}

}  // namespace ooc
