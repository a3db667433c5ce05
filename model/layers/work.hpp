// Checked numbers from shapes: elements and bytes of tensors, FLOPs and GPU memory traffic of
// tasks. Kinds state counts as formulas over Wide; these functions refuse sums beyond the limits
// (docs/formats.md, 1: a tensor is below 2^48 bytes).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/spec_tree.hpp"
#include "model/base/tensor_shape.hpp"
#include "model/layers/layer_kind.hpp"
#include "model/layers/wide.hpp"

namespace ooc {

/// Bytes of an element in PALEO's counts, whatever the network's type.
inline constexpr std::int64_t kPaleoElementBytes = 4;

/// Work of one task before checks, per sample (TaskWork).
struct Traffic {
  Wide flops;
  Wide bytes;
  Wide bytes_fixed;    ///< bytes that do not grow with the batch
  Wide workspace = 0;  ///< bytes that the task needs beside its operands
};

[[nodiscard]] Wide elements(const TensorShape& shape);
/// Returns the product of `sizes`; 1 if empty.
[[nodiscard]] Wide product(const std::vector<std::int64_t>& sizes);

/// Returns the shape with `dims` of a layer's output. Throws SpecError at `spec` for 2^48 bytes or more a sample.
[[nodiscard]] TensorShape output_shape(const SpecView& spec, const LayerInputs& inputs,
                                       const std::vector<Wide>& dims);
[[nodiscard]] TensorShape output_shape(const SpecView& spec, const LayerInputs& inputs,
                                       const std::vector<std::int64_t>& dims);

/// Returns the shape that the list `spec` states. Throws SpecError as above, and for an empty list.
[[nodiscard]] TensorShape stated_shape(const SpecView& spec, const LayerInputs& inputs);

/// Returns `value`. Throws SpecError at `spec` if `value` exceeds 63 bits. `what`: unit of `value`, for the message.
[[nodiscard]] std::int64_t to_count(const SpecView& spec, Wide value, std::string_view what);
[[nodiscard]] std::int64_t to_parameters(const SpecView& spec, const LayerInputs& inputs,
                                         Wide parameters);
[[nodiscard]] TaskWork to_task_work(const SpecView& spec, const Traffic& traffic);

/// Returns the count in decimal, or "more than 2^120" if saturated.
[[nodiscard]] std::string wide_text(Wide value);

}  // namespace ooc
