// Storage formats of frozen weights. No update changes these weights, so they may take fewer bits than products use.
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
  kInt8,       ///< 1 byte a weight
  kNf4,        ///< half a byte a weight, and a float32 scale for every 64 weights
  kNf4Double,  ///< as kNf4 with scales of 1 byte, and a float32 for every 256 scales
};
inline constexpr std::array kWeightStorages{WeightStorage::kFp32, WeightStorage::kBf16,
                                            WeightStorage::kInt8, WeightStorage::kNf4,
                                            WeightStorage::kNf4Double};

/// Returns a name such as "nf4-double".
[[nodiscard]] std::string_view storage_name(WeightStorage storage);
/// Returns the format called `name`; throws SpecError at `name` if there is none.
[[nodiscard]] WeightStorage read_weight_storage(const SpecView& name);
/// True for kInt8, kNf4 and kNf4Double. These are for matrices; a layer's other weights then have 16 bits.
[[nodiscard]] bool is_quantised(WeightStorage storage);

/// Numbers of a layer's own parameters, without those of a layer that it is tied to.
struct WeightCounts {
  std::int64_t matrix = 0;  ///< parameters of LayerModel::weight_matrix
  std::int64_t others = 0;  ///< all others, such as biases
};
[[nodiscard]] WeightCounts weight_counts(const LayerModel& model);
[[nodiscard]] std::int64_t stored_bytes(WeightStorage storage, const WeightCounts& counts);

}  // namespace ooc
