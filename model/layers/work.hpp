// From shapes to checked numbers: the elements and bytes of tensors, the FLOPs and the near-memory
// traffic of tasks. Every kind states its counts as formulas over Wide and hands them to the
// functions here, which refuse what does not fit (docs/formats.md, 1: a tensor is below 2^48
// bytes).
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

/// PALEO counts four bytes an element, whatever the network's type.
inline constexpr std::int64_t kPaleoElementBytes = 4;

/// One task's counts before they are checked; as TaskWork, bytes per sample and once per batch.
struct Traffic {
  Wide flops;
  Wide bytes;
  Wide bytes_fixed;
  Wide workspace = 0;
};

[[nodiscard]] Wide elements(const TensorShape& shape);
/// Product of `sizes`; 1 for none.
[[nodiscard]] Wide product(const std::vector<std::int64_t>& sizes);

/// The shape of a layer's output, refused at `spec` when one sample is 2^48 bytes or more.
[[nodiscard]] TensorShape output_shape(const SpecView& spec, const LayerInputs& inputs,
                                       const std::vector<Wide>& dims);
[[nodiscard]] TensorShape output_shape(const SpecView& spec, const LayerInputs& inputs,
                                       const std::vector<std::int64_t>& dims);

/// `value` in 63 bits, else an error at `spec` that says `what` is too large.
[[nodiscard]] std::int64_t to_count(const SpecView& spec, Wide value, std::string_view what);
[[nodiscard]] std::int64_t to_parameters(const SpecView& spec, const LayerInputs& inputs,
                                         Wide parameters);
[[nodiscard]] TaskWork to_task_work(const SpecView& spec, const Traffic& traffic);

/// Decimal text of a 128-bit count.
[[nodiscard]] std::string wide_text(Wide value);

}  // namespace ooc
