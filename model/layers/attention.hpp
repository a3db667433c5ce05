// Sizes of query, key and value, for both kinds of attention.
#pragma once

#include <cstdint>

#include "model/layers/layer_kind.hpp"
#include "model/layers/work.hpp"

namespace ooc {

struct AttentionSizes {
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;  ///< heads of key and value; each serves heads / kv_heads query heads
  std::int64_t queries = 1;   ///< time steps of the query
  std::int64_t keys = 1;      ///< time steps of key and value
  std::int64_t windows = 1;   ///< number of equal windows; a step attends only within its own
  std::int64_t width = 1;     ///< features of the query, all heads together
  std::int64_t value_width = 1;     ///< features of the output, all heads together
  std::int64_t key_width = 1;       ///< features of the key, all its heads together
  std::int64_t value_in_width = 1;  ///< features of the value, all its heads together
  /// Returns the elements of key and value; repeated_elements(): if each query head had its own copy.
  [[nodiscard]] Wide kept_elements() const {
    return Wide(keys) * (Wide(key_width) + value_in_width);
  }
  [[nodiscard]] Wide repeated_elements() const { return Wide(keys) * (Wide(width) + value_width); }
  /// Returns the number of (query, key) pairs of one head, without a mask.
  [[nodiscard]] Wide pairs() const { return Wide(queries) * (keys / windows); }
};

/// Reads an additive attention, which unrolls into a part for each query step (additive_attention.cpp).
[[nodiscard]] LayerModel read_additive_attention(const SpecView& spec, const LayerInputs& inputs,
                                                 const AttentionSizes& sizes);

}  // namespace ooc
