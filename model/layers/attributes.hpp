// What many kinds read in the same way: sizes given as one number or one per dimension, how many
// inputs there may be, `in_place`.
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

/// No size in a file may be larger: one dimension of a tensor of 1-byte elements below 2^48 bytes.
inline constexpr std::int64_t kMaxSize = kMaxTensorBytes;

/// The layer's only input; an error at `spec` if there are several.
[[nodiscard]] const TensorShape& single_input(const SpecView& spec, const LayerInputs& inputs);
/// An error at `spec` if there are fewer than two inputs.
void require_several_inputs(const SpecView& spec, const LayerInputs& inputs);
/// `"conv1" (64x56x56)`: input `index` for messages.
[[nodiscard]] std::string describe_input(const LayerInputs& inputs, std::size_t index);

/// Key `key`: one integer >= lowest for all `count` dimensions, or a list of `count`; none if
/// absent.
[[nodiscard]] std::optional<std::vector<std::int64_t>> find_sizes(const SpecView& spec,
                                                                  std::string_view key,
                                                                  std::size_t count,
                                                                  std::int64_t lowest);

/// "bias", true where it is left out.
[[nodiscard]] bool read_bias(const SpecView& spec);
/// "in_place", `otherwise` where it is left out; true is kRequired, false is kNever.
[[nodiscard]] InPlace read_in_place(const SpecView& spec, InPlace otherwise);

/// What adapters may be kept in.
inline constexpr std::array<std::string_view, 3> kAdapterTypes{"float32", "bfloat16", "float16"};
/// What stands beside a layer that is frozen.
struct Lora {
  std::int64_t rank = 1;
  double dropout = 0;
  std::optional<Dtype> dtype = {};  ///< none: as the precision keeps what is learnt
};
/// Of { "rank": 8, "dropout": 0.05, "dtype": "float32", "alpha": 16 }; alpha costs nothing. A type needs a precision in
/// `inputs`: without one everything has the network's.
[[nodiscard]] Lora read_lora(const SpecView& lora, const LayerInputs& inputs);

/// States a matrix of weights and, unless "tied_to" says that it is another layer's, its parameters.
void set_weight_matrix(const SpecView& spec, const LayerInputs& inputs, const WeightMatrix& matrix,
                       LayerModel& model);

}  // namespace ooc
