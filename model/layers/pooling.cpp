// Sliding-window pools and the work of all pools.
#include "model/layers/pooling.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/layers/attributes.hpp"

namespace ooc {
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
  return std::all_of(window.dims.begin(), window.dims.end(),
                     [](const WindowDim& dim) { return dim.kernel == 1 && dim.stride == 1; });
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
  model.streaming = StreamingKind::kPool;
}

LayerModel read_pool(const SpecView& spec, const LayerInputs& inputs, PoolKind kind) {
  const TensorShape& input = single_input(spec, inputs);
  const Window window = read_window(spec, input, {DefaultStride::kKernel, Dilation::kUnknownKey});
  check_padding(spec, window);
  const auto ceil = spec.find("ceil");
  const Rounding rounding = ceil && ceil->as_boolean() ? Rounding::kCeil : Rounding::kFloor;
  const std::vector<std::int64_t> sizes = window_positions(spec, window, spatial(input), rounding);

  LayerModel model;
  model.output = output_shape(spec, inputs, with_channels(input.dims[0], sizes));
  set_pool_work(spec, inputs, kind, window.taps() * elements(model.output), model);
  model.is_view = kind == PoolKind::kAverage && is_identity(window);
  return model;
}

}  // namespace ooc
