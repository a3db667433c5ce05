// Attributes that many kinds read alike: sizes (one number, or one per dimension), number of inputs, `in_place`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/spec_tree.hpp"
#include "model/layers/layer_kind.hpp"

namespace ooc {

/// Largest size that a file may state, 2^48.
inline constexpr std::int64_t kMaxSize = kMaxTensorBytes;

/// Returns the shape of the layer's only input. Throws SpecError at `spec` unless there is one input.
[[nodiscard]] const TensorShape& single_input(const SpecView& spec, const LayerInputs& inputs);
/// Throws SpecError at `spec` for fewer than two inputs.
void require_several_inputs(const SpecView& spec, const LayerInputs& inputs);
/// Returns a text for messages: `"conv1" (64x56x56)`; `input 1 (64x56x56)` if names are unknown.
[[nodiscard]] std::string describe_input(const LayerInputs& inputs, std::size_t index);

/// Reads a size >= lowest for each of `count` dimensions: one integer for all, or a list. Unset: no `key` in `spec`.
[[nodiscard]] std::optional<std::vector<std::int64_t>> find_sizes(const SpecView& spec,
                                                                  std::string_view key,
                                                                  std::size_t count,
                                                                  std::int64_t lowest);

/// Reads "bias"; default: true.
[[nodiscard]] bool read_bias(const SpecView& spec);
/// Reads "in_place": true is kRequired, false is kNever, and without the key the result is `otherwise`.
[[nodiscard]] InPlace read_in_place(const SpecView& spec, InPlace otherwise);

/// Low-rank adapter beside a frozen layer.
struct Lora {
  std::int64_t rank = 1;
  double dropout = 0;  ///< rate of dropout before the adapter; 0: no dropout layer
  std::optional<AdapterType> dtype = {};  ///< unset: by the precision
  bool fused = false;  ///< true: one kernel scales the adapter's result and adds it to the layer's
};
/// Reads { "rank": 8, "dropout": 0.05, "dtype": "float32", "fused": false, "alpha": 16 }; "alpha" changes no cost.
/// Throws SpecError for bad values, and for "dtype" if `inputs` has no precision.
[[nodiscard]] Lora read_lora(const SpecView& lora, const LayerInputs& inputs);

/// Sets weight_matrix and is_tied of `model`, and `parameters` unless "tied_to" in `spec` names another layer.
void set_weight_matrix(const SpecView& spec, const LayerInputs& inputs, const WeightMatrix& matrix,
                       LayerModel& model);

}  // namespace ooc
