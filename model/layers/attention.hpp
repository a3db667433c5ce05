// What the two kinds of attention share: the sizes of query, key and value.
#pragma once

#include <cstdint>
#include <vector>

#include "model/layers/layer_kind.hpp"
#include "model/layers/work.hpp"

namespace ooc {

struct AttentionSizes {
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;     ///< of key and value; each serves heads / kv_heads of the query's
  std::int64_t queries = 1;      ///< steps of the query
  std::int64_t keys = 1;         ///< steps of key and value
  std::int64_t width = 1;        ///< of the query, all heads together
  std::int64_t value_width = 1;  ///< of the output, all heads together
  std::int64_t key_width = 1;    ///< of the key, its own heads together
  std::int64_t value_in_width = 1;  ///< of the value, likewise
  /// Elements of key and value, and what they are once every head of the query has its own.
  [[nodiscard]] Wide kept_elements() const {
    return Wide(keys) * (Wide(key_width) + value_in_width);
  }
  [[nodiscard]] Wide repeated_elements() const { return Wide(keys) * (Wide(width) + value_width); }
  /// Bytes of query, key and value in the network's type are these elements times its size.
  [[nodiscard]] Wide input_elements() const { return Wide(queries) * width + kept_elements(); }
};

/// attention_sizes.cpp: from "heads", "kv_heads" and the shapes of one, two or three inputs.
[[nodiscard]] AttentionSizes read_attention_sizes(const SpecView& spec, const LayerInputs& inputs);

/// additive_attention.cpp: one part per step of the query.
[[nodiscard]] LayerModel read_additive_attention(const SpecView& spec, const LayerInputs& inputs,
                                                 const AttentionSizes& sizes);

}  // namespace ooc
