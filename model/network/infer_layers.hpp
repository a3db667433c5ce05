// Inference of shapes and work of all layers, producers first.
#pragma once

#include <vector>

#include "model/network/layer_tree.hpp"
#include "model/network/network.hpp"

namespace ooc {

/// Fills Layer::model of all layers. Input: a network with inputs, dtype, producers and
/// execution_order. `entries`: entry of the file, by layer; unknown keys of an entry are refused.
/// Throws SpecError for shapes that do not fit together and for sums beyond the limits.
void infer_layers(const std::vector<const Entry*>& entries, std::size_t entry_count,
                  Network& network);

}  // namespace ooc
