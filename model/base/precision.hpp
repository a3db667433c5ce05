// Mixed precision as in training software: one name for the element sizes of a run. kPrecisions is
// the only place with the sizes; docs/model.md, 3 gives the source of every cell.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"

namespace ooc {

// Element types of tensors, as networks and profiles name them.

enum class Dtype { kFloat64, kFloat32, kTf32, kFloat16, kBfloat16, kFloat8 };

struct DtypeInfo {
  Dtype dtype;
  std::string_view name;
  std::int64_t bytes;  ///< size of an element in memory; TF32 data are stored as float32
};

inline constexpr std::array<DtypeInfo, 6> kDtypes{{{Dtype::kFloat64, "float64", 8},
                                                   {Dtype::kFloat32, "float32", 4},
                                                   {Dtype::kTf32, "tf32", 4},
                                                   {Dtype::kFloat16, "float16", 2},
                                                   {Dtype::kBfloat16, "bfloat16", 2},
                                                   {Dtype::kFloat8, "float8", 1}}};

/// Types for whole networks. float8 is left out, since only matrix products run in float8.
inline constexpr std::array<DtypeInfo, 5> kNetworkDtypes{
    {kDtypes[0], kDtypes[1], kDtypes[2], kDtypes[3], kDtypes[4]}};

[[nodiscard]] constexpr const DtypeInfo& dtype_info(Dtype dtype) {
  return kDtypes[static_cast<std::size_t>(dtype)];
}

[[nodiscard]] constexpr std::optional<Dtype> find_dtype(std::string_view name) {
  const DtypeInfo* info = find_named(kDtypes, name);
  return info != nullptr ? std::optional(info->dtype) : std::nullopt;
}

/// Type that adapters are kept in. autocasts: as PEFT does under torch.autocast: kept in float32, multiplied in the
/// precision's type.
struct AdapterType {
  Dtype dtype = Dtype::kFloat32;
  bool autocasts = false;

  [[nodiscard]] constexpr std::string_view name() const {
    return autocasts ? "autocast" : dtype_info(dtype).name;
  }
  bool operator==(const AdapterType&) const = default;
};
inline constexpr std::array<AdapterType, 4> kAdapterTypes{
    {{Dtype::kFloat32}, {Dtype::kBfloat16}, {Dtype::kFloat16}, {Dtype::kFloat32, true}}};

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

/// Copies of weights in the type of matrix products, made in forward.
enum class WeightCopies {
  kNone,
  kSaved,     ///< a copy for each layer, from its forward task until its last use
  kPerGroup,  ///< one copy for all layers of a block; freed after forward, made again for backward
};

struct PrecisionInfo {
  Precision precision = Precision::kFp32;
  std::string_view name = {};
  Dtype dtype = Dtype::kFloat32;     ///< Network::dtype: type of the results of matrix products
  Dtype products = Dtype::kFloat32;  ///< type whose peak rate matrix products run at
  // Bytes of an element, by class of data:
  std::int64_t activation = 4;    ///< inputs and outputs of matrix products
  std::int64_t wide = 4;          ///< norms, softmax, losses, embeddings, residual sums
  std::int64_t linear_saved = 4;  ///< inputs of linear layers, as saved for backward
  std::int64_t input = 4;         ///< inputs of the network; indices into embeddings have 8 bytes
  // Bytes of a parameter: weight, copy for products (of weights by WeightCopies; of adapters that autocast by
  // AdapterType), gradient, master copy that updates read; 0: none.
  std::int64_t weight = 4;
  std::int64_t copy = 0;
  std::int64_t gradient = 4;
  std::int64_t master = 0;
  WeightCopies copies = WeightCopies::kNone;
  bool halves_state = false;  ///< true: a state of momentum or adam has 2 bytes; false: 4
  bool unscales = false;      ///< true (loss scaling): updates read and write gradients once more

  /// True if the type depends on the kind of layer, as under torch.autocast.
  [[nodiscard]] constexpr bool autocasts() const { return wide != activation; }
};

/// Cells in the order of the fields: bytes of activation, wide, linear_saved, input; of weight, copy, gradient, master.
inline constexpr std::array<PrecisionInfo, 9> kPrecisions{{
    {Precision::kFp32, "fp32", Dtype::kFloat32, Dtype::kFloat32, 4, 4, 4, 4, 4, 0, 4, 0},
    {Precision::kTf32, "tf32", Dtype::kTf32, Dtype::kTf32, 4, 4, 4, 4, 4, 0, 4, 0},
    {Precision::kBf16, "bf16", Dtype::kBfloat16, Dtype::kBfloat16, 2, 2, 2, 2, 2, 2, 2, 4},
    {Precision::kFp16, "fp16", Dtype::kFloat16, Dtype::kFloat16, 2, 2, 2, 2, 2, 2, 2, 4,
     WeightCopies::kNone, false, true},
    {Precision::kAmpBf16, "amp-bf16", Dtype::kBfloat16, Dtype::kBfloat16, 2, 4, 2, 4, 4, 2, 4, 0,
     WeightCopies::kSaved},
    {Precision::kAmpFp16, "amp-fp16", Dtype::kFloat16, Dtype::kFloat16, 2, 4, 2, 4, 4, 2, 4, 0,
     WeightCopies::kSaved, false, true},
    {Precision::kFsdpBf16, "fsdp-bf16", Dtype::kBfloat16, Dtype::kBfloat16, 2, 2, 2, 2, 4, 2, 4, 0,
     WeightCopies::kPerGroup},
    {Precision::kBf16Pure, "bf16-pure", Dtype::kBfloat16, Dtype::kBfloat16, 2, 2, 2, 2, 2, 2, 2, 0,
     WeightCopies::kNone, true},
    {Precision::kFp8, "fp8", Dtype::kBfloat16, Dtype::kFloat8, 2, 2, 1, 2, 2, 2, 2, 4,
     WeightCopies::kSaved},
}};

[[nodiscard]] constexpr const PrecisionInfo& precision_info(Precision precision) {
  return kPrecisions[static_cast<std::size_t>(precision)];
}

[[nodiscard]] constexpr std::optional<Precision> find_precision(std::string_view name) {
  const PrecisionInfo* info = find_named(kPrecisions, name);
  return info != nullptr ? std::optional(info->precision) : std::nullopt;
}

/// Optimisers. kAdam8: Adam with states of 8 bits, and float32 scales.
enum class Optimizer { kSgd, kMomentum, kAdam, kAdam8, kAdafactor };

inline constexpr std::array kOptimizers{Optimizer::kSgd, Optimizer::kMomentum, Optimizer::kAdam,
                                        Optimizer::kAdam8, Optimizer::kAdafactor};

/// Implementation of Adam: one fused kernel; PyTorch's foreach, one kernel per operation for all parameters, with a
/// temporary number per parameter; or PyTorch's loop, one kernel per operation for each parameter tensor in turn.
enum class AdamKernels { kFused, kForeach, kLoop };
[[nodiscard]] constexpr std::string_view adam_kernels_name(AdamKernels kernels) {
  return text_at(kernels, {"fused", "foreach", "loop"});
}
/// Memory traffic of Adam by single operations over that of one fused kernel: 80 over 28 bytes a float32 parameter
/// (torch/optim/adamw.py, _single_tensor_adamw: mul 8, lerp 12, mul 8, addcmul 12, sqrt 8, div 8, add 8, addcdiv 16).
inline constexpr double kOperationsOverFused = 80.0 / 28;

[[nodiscard]] constexpr std::string_view optimizer_name(Optimizer optimizer) {
  return text_at(optimizer, {"sgd", "momentum", "adam", "adam8", "adafactor"});
}

}  // namespace ooc
