// How frozen weights are kept: nobody updates them, so they may be kept in fewer bits than they are multiplied in.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "model/base/spec_tree.hpp"

namespace ooc {

struct LayerModel;

enum class WeightStorage {
  kFp32,
  kBf16,
  kInt8,       ///< a byte a weight
  kNf4,        ///< half a byte a weight, and a float32 scale for every 64
  kNf4Double,  ///< the same, its scales in a byte each with a float32 scale for every 256 of them
};
inline constexpr std::array kWeightStorages{WeightStorage::kFp32, WeightStorage::kBf16,
                                            WeightStorage::kInt8, WeightStorage::kNf4,
                                            WeightStorage::kNf4Double};

/// "nf4-double".
[[nodiscard]] std::string_view storage_name(WeightStorage storage);
/// An error at `name` for what is none.
[[nodiscard]] WeightStorage read_weight_storage(const SpecView& name);
/// Whether matrices alone are kept so; everything else then has 16 bits.
[[nodiscard]] bool is_quantised(WeightStorage storage);

/// A layer's own parameters.
struct WeightCounts {
  std::int64_t matrix = 0;
  std::int64_t others = 0;  ///< biases, norms
};
[[nodiscard]] WeightCounts weight_counts(const LayerModel& model);
[[nodiscard]] std::int64_t stored_bytes(WeightStorage storage, const WeightCounts& counts);

}  // namespace ooc
