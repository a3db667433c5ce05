// Mixed precision as training software has it: one name for all the element sizes of a run. The table
// below is the only place that has them; docs/model.md, 3 has the source of every cell.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/base/dtype.hpp"

namespace ooc {

enum class Precision {
  kFp32,
  kTf32,
  kBf16,
  kFp16,
  kAmpBf16,
  kAmpFp16,
  kFsdpBf16,
  kBf16Pure,
  kFp8,
};

/// Copies of the weights in the type that products multiply in.
enum class WeightCopies {
  kNone,
  kSaved,     ///< one a layer, from its forward task to its last reader
  kPerGroup,  ///< of a block of layers at a time, made again for the backward pass
};

struct PrecisionInfo {
  Precision precision = Precision::kFp32;
  std::string_view name = {};
  Dtype dtype = Dtype::kFloat32;     ///< of the network as a whole, and in its products' results
  Dtype products = Dtype::kFloat32;  ///< that linear layers multiply in: whose peak counts
  // Bytes an element, by class of data.
  std::int64_t activation = 4;    ///< what products read and write
  std::int64_t wide = 4;          ///< norms, softmax, losses, embeddings, and so residual sums
  std::int64_t linear_saved = 4;  ///< what a linear layer keeps of its input
  std::int64_t input = 4;         ///< the network's data
  // Bytes a parameter.
  std::int64_t weight = 4;
  std::int64_t copy = 0;
  std::int64_t gradient = 4;
  std::int64_t master = 0;
  WeightCopies copies = WeightCopies::kNone;
  bool halves_state = false;  ///< the optimizer's state in 16 bits
  bool unscales = false;      ///< gradients are scaled: a pass more over them before the update

  /// Whether kinds of layers choose their own types, as torch.autocast has it.
  [[nodiscard]] constexpr bool autocasts() const { return wide != activation; }
};

inline constexpr std::array<PrecisionInfo, 9> kPrecisions{{
    {.precision = Precision::kFp32, .name = "fp32"},
    {.precision = Precision::kTf32,
     .name = "tf32",
     .dtype = Dtype::kTf32,
     .products = Dtype::kTf32},
    {.precision = Precision::kBf16,
     .name = "bf16",
     .dtype = Dtype::kBfloat16,
     .products = Dtype::kBfloat16,
     .activation = 2,
     .wide = 2,
     .linear_saved = 2,
     .input = 2,
     .weight = 2,
     .gradient = 2,
     .master = 4},
    {.precision = Precision::kFp16,
     .name = "fp16",
     .dtype = Dtype::kFloat16,
     .products = Dtype::kFloat16,
     .activation = 2,
     .wide = 2,
     .linear_saved = 2,
     .input = 2,
     .weight = 2,
     .gradient = 2,
     .master = 4,
     .unscales = true},
    {.precision = Precision::kAmpBf16,
     .name = "amp-bf16",
     .dtype = Dtype::kBfloat16,
     .products = Dtype::kBfloat16,
     .activation = 2,
     .linear_saved = 2,
     .copy = 2,
     .copies = WeightCopies::kSaved},
    {.precision = Precision::kAmpFp16,
     .name = "amp-fp16",
     .dtype = Dtype::kFloat16,
     .products = Dtype::kFloat16,
     .activation = 2,
     .linear_saved = 2,
     .copy = 2,
     .copies = WeightCopies::kSaved,
     .unscales = true},
    {.precision = Precision::kFsdpBf16,
     .name = "fsdp-bf16",
     .dtype = Dtype::kBfloat16,
     .products = Dtype::kBfloat16,
     .activation = 2,
     .wide = 2,
     .linear_saved = 2,
     .input = 2,
     .copy = 2,
     .copies = WeightCopies::kPerGroup},
    {.precision = Precision::kBf16Pure,
     .name = "bf16-pure",
     .dtype = Dtype::kBfloat16,
     .products = Dtype::kBfloat16,
     .activation = 2,
     .wide = 2,
     .linear_saved = 2,
     .input = 2,
     .weight = 2,
     .gradient = 2,
     .halves_state = true},
    {.precision = Precision::kFp8,
     .name = "fp8",
     .dtype = Dtype::kBfloat16,
     .products = Dtype::kFloat8,
     .activation = 2,
     .wide = 2,
     .linear_saved = 1,
     .input = 2,
     .weight = 2,
     .copy = 2,
     .gradient = 2,
     .master = 4,
     .copies = WeightCopies::kSaved},
}};

[[nodiscard]] constexpr const PrecisionInfo& precision_info(Precision precision) {
  return kPrecisions[static_cast<std::size_t>(precision)];
}

[[nodiscard]] constexpr std::optional<Precision> find_precision(std::string_view name) {
  for (const PrecisionInfo& info : kPrecisions) {
    if (info.name == name) return info.precision;
  }
  return std::nullopt;
}

}  // namespace ooc
