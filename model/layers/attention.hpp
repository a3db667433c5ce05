// Sizes of query, key and value, for both kinds of attention.
#pragma once

#include <cstdint>

#include "model/layers/layer_kind.hpp"
#include "model/layers/work.hpp"

namespace ooc {

struct AttentionSizes {
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;  ///< heads of key and value; each serves heads / kv_heads heads
  std::int64_t queries = 1;   ///< time steps of the query
  std::int64_t keys = 1;      ///< time steps of key and value
  std::int64_t windows = 1;   ///< equal parts of the steps; a step attends only within its own part
  std::int64_t width = 1;     ///< features of the query, over all heads
  std::int64_t value_width = 1;     ///< features of the output, over all heads
  std::int64_t key_width = 1;       ///< features of the key, over all kv_heads
  std::int64_t value_in_width = 1;  ///< features of the value, over all kv_heads
  /// Returns the number of elements of key and value, for one sample.
  [[nodiscard]] Wide kept_elements() const {
    return Wide(keys) * (Wide(key_width) + value_in_width);
  }
  /// Returns the number of elements of key and value, if repeated for each of `heads`.
  [[nodiscard]] Wide repeated_elements() const { return Wide(keys) * (Wide(width) + value_width); }
  /// Returns the number of (query, key) pairs of one head, including those that a mask forbids.
  [[nodiscard]] Wide pairs() const { return Wide(queries) * (keys / windows); }
};

/// Reads an additive attention, which unrolls into a part for each query step and one that gathers the results.
[[nodiscard]] LayerModel read_additive_attention(const SpecView& spec, const LayerInputs& inputs,
                                                 const AttentionSizes& sizes);

}  // namespace ooc
