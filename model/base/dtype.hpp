// Element types of tensors, as networks and profiles name them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ooc {

enum class Dtype { kFloat64, kFloat32, kTf32, kFloat16, kBfloat16, kFloat8 };

struct DtypeInfo {
  Dtype dtype;
  std::string_view name;
  std::int64_t bytes;  ///< an element in memory; TF32 data are stored as float32
};

inline constexpr std::array<DtypeInfo, 6> kDtypes{{{Dtype::kFloat64, "float64", 8},
                                                   {Dtype::kFloat32, "float32", 4},
                                                   {Dtype::kTf32, "tf32", 4},
                                                   {Dtype::kFloat16, "float16", 2},
                                                   {Dtype::kBfloat16, "bfloat16", 2},
                                                   {Dtype::kFloat8, "float8", 1}}};

/// Types for whole networks. float8 is missing: only matrix products run in it.
inline constexpr std::array<DtypeInfo, 5> kNetworkDtypes{
    {kDtypes[0], kDtypes[1], kDtypes[2], kDtypes[3], kDtypes[4]}};

[[nodiscard]] constexpr const DtypeInfo& dtype_info(Dtype dtype) {
  return kDtypes[static_cast<std::size_t>(dtype)];
}

[[nodiscard]] constexpr std::optional<Dtype> find_dtype(std::string_view name) {
  for (const DtypeInfo& info : kDtypes) {
    if (info.name == name) return info.dtype;
  }
  return std::nullopt;
}

}  // namespace ooc
