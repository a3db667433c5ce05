// What the two kinds of attention share: the sizes of query, key and value.
#pragma once

#include <cstdint>
#include <vector>

#include "model/layers/layer_kind.hpp"
#include "model/layers/work.hpp"

namespace ooc {

struct AttentionSizes {
  std::int64_t heads = 1;
  std::int64_t queries = 1;      ///< steps of the query
  std::int64_t keys = 1;         ///< steps of key and value
  std::int64_t width = 1;        ///< of query and key, all heads together
  std::int64_t value_width = 1;  ///< of value and output, all heads together
  /// Bytes of query, key and value in the network's type are these elements times its size.
  [[nodiscard]] Wide input_elements() const {
    return Wide(queries) * width + Wide(keys) * (Wide(width) + value_width);
  }
};

/// additive_attention.cpp: one part per step of the query.
[[nodiscard]] LayerModel read_additive_attention(const SpecView& spec, const LayerInputs& inputs,
                                                 const AttentionSizes& sizes);

}  // namespace ooc
