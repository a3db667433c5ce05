// Checked conversion of 128-bit formulas into the 64-bit counts of LayerModel.
#include "model/layers/work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace ooc {

Wide product(const std::vector<std::int64_t>& sizes) {
  Wide result = 1;
  for (const std::int64_t size : sizes) result = result * size;
  return result;
}

Wide elements(const TensorShape& shape) { return product(shape.dims); }

std::string wide_text(Wide value) {
  if (value.value() >= Wide::kTop) return "more than 2^120";
  Int128 rest = value.value();
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  } while (rest > 0);
  std::ranges::reverse(digits);
  return digits;
}

TensorShape output_shape(const SpecView& spec, const LayerInputs& inputs,
                         const std::vector<Wide>& dims) {
  Wide bytes = inputs.element_bytes();
  std::string text;
  for (const Wide dim : dims) {
    bytes = bytes * dim;
    text += (text.empty() ? "" : "x") + wide_text(dim);
  }
  if (bytes.value() >= kMaxTensorBytes) {
    spec.fail(fmt::format("an output of {} ({} bytes a sample)", text, wide_text(bytes)),
              "a tensor smaller than 2^48 bytes");
  }
  TensorShape shape;
  for (const Wide dim : dims) shape.dims.push_back(static_cast<std::int64_t>(dim.value()));
  return shape;
}

TensorShape output_shape(const SpecView& spec, const LayerInputs& inputs,
                         const std::vector<std::int64_t>& dims) {
  return output_shape(spec, inputs, std::vector<Wide>(dims.begin(), dims.end()));
}

TensorShape stated_shape(const SpecView& spec, const LayerInputs& inputs) {
  std::vector<std::int64_t> dims;
  for (const SpecView& item : spec.items()) dims.push_back(item.as_integer(1, kMaxTensorBytes));
  if (dims.empty()) spec.fail("an empty list", "one or more sizes");
  return output_shape(spec, inputs, dims);
}

std::int64_t to_count(const SpecView& spec, Wide value, std::string_view what) {
  if (value.value() > std::numeric_limits<std::int64_t>::max()) {
    spec.fail(fmt::format("{} {}", wide_text(value), what), "a number that fits 63 bits");
  }
  return static_cast<std::int64_t>(value.value());
}

std::int64_t to_parameters(const SpecView& spec, const LayerInputs& inputs, Wide parameters) {
  const Wide bytes = parameters * inputs.element_bytes();
  if (bytes.value() >= kMaxTensorBytes) {
    spec.fail(fmt::format("{} parameters ({} bytes)", wide_text(parameters), wide_text(bytes)),
              "parameters smaller than 2^48 bytes in one layer");
  }
  return static_cast<std::int64_t>(parameters.value());
}

TaskWork to_task_work(const SpecView& spec, const Traffic& traffic) {
  return {.flops_per_sample = to_count(spec, traffic.flops, "FLOPs a sample"),
          .bytes_per_sample = to_count(spec, traffic.bytes, "bytes of memory traffic a sample"),
          .bytes_fixed = to_count(spec, traffic.bytes_fixed, "bytes of memory traffic"),
          .workspace_per_sample = to_count(spec, traffic.workspace, "bytes of workspace a sample")};
}

}  // namespace ooc
