// Sizes of query, key and value, for both kinds of attention.
#pragma once

#include <cstdint>

#include "model/layers/layer_kind.hpp"
#include "model/layers/work.hpp"

namespace ooc {

struct AttentionSizes {
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;        ///< heads of key and value; each serves heads / kv_heads heads
  std::int64_t queries = 1;         ///< time steps of the query
  std::int64_t keys = 1;            ///< time steps of key and value
  std::int64_t windows = 1;         ///< equal parts of the steps that see themselves alone
  std::int64_t width = 1;           ///< features of the query, all heads together
  std::int64_t value_width = 1;     ///< features of the output, all heads together
  std::int64_t key_width = 1;       ///< features of the key, all its heads together
  std::int64_t value_in_width = 1;  ///< features of the value, all its heads together
  /// Elements of key and value; repeated_elements: after copies for every head of the query.
  [[nodiscard]] Wide kept_elements() const {
    return Wide(keys) * (Wide(key_width) + value_in_width);
  }
  [[nodiscard]] Wide repeated_elements() const { return Wide(keys) * (Wide(width) + value_width); }
  /// Of a query and a key, if there is no mask.
  [[nodiscard]] Wide pairs() const { return Wide(queries) * (keys / windows); }
};

/// Unrolls into a part for each time step of the query (additive_attention.cpp).
[[nodiscard]] LayerModel read_additive_attention(const SpecView& spec, const LayerInputs& inputs,
                                                 const AttentionSizes& sizes);

}  // namespace ooc
