// Attributes that many kinds read alike: sizes (one number, or one per dimension), number of
// inputs, `in_place`.
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

/// Largest number that a file may state as a size, 2^48.
inline constexpr std::int64_t kMaxSize = kMaxTensorBytes;

/// Returns the layer's only input; throws SpecError at `spec` if there are several.
[[nodiscard]] const TensorShape& single_input(const SpecView& spec, const LayerInputs& inputs);
/// Throws SpecError at `spec` for fewer than two inputs.
void require_several_inputs(const SpecView& spec, const LayerInputs& inputs);
/// Returns a text for messages: `"conv1" (64x56x56)`.
[[nodiscard]] std::string describe_input(const LayerInputs& inputs, std::size_t index);

/// Reads `key`: one integer >= lowest for all `count` dimensions, or a list of `count`. Unset: no
/// such key.
[[nodiscard]] std::optional<std::vector<std::int64_t>> find_sizes(const SpecView& spec,
                                                                  std::string_view key,
                                                                  std::size_t count,
                                                                  std::int64_t lowest);

/// Reads "bias"; default: true.
[[nodiscard]] bool read_bias(const SpecView& spec);
/// Reads "in_place": true is kRequired, false is kNever; without the key `otherwise`.
[[nodiscard]] InPlace read_in_place(const SpecView& spec, InPlace otherwise);

/// Types that adapters may be stored in.
inline constexpr std::array<std::string_view, 3> kAdapterTypes{"float32", "bfloat16", "float16"};
/// Low-rank adapter beside a frozen layer.
struct Lora {
  std::int64_t rank = 1;
  double dropout = 0;
  std::optional<Dtype> dtype = {};  ///< unset: by the precision
  bool fused = false;  ///< true: one kernel scales the adapter's result and adds it to the layer's
};
/// Reads { "rank": 8, "dropout": 0.05, "dtype": "float32", "fused": false, "alpha": 16 }. "alpha" changes no cost.
/// Throws SpecError for a "dtype" without a precision in `inputs`.
[[nodiscard]] Lora read_lora(const SpecView& lora, const LayerInputs& inputs);

/// Sets weight_matrix, is_tied and parameters of `model`. "tied_to" in `spec`: no parameters, another layer has them.
void set_weight_matrix(const SpecView& spec, const LayerInputs& inputs, const WeightMatrix& matrix,
                       LayerModel& model);

}  // namespace ooc
