// Shapes and costs of every layer, in an order in which producers come first.
#pragma once

#include <vector>

#include "model/network/layer_tree.hpp"
#include "model/network/network.hpp"

namespace ooc {

/// Fills Layer::model of all layers. `network` has inputs, dtype, layers with producers, and
/// execution_order; `entries` says where each layer stands in the file, whose unknown keys are
/// refused on the way. Throws SpecError for shapes that do not fit and sums that leave the limits.
void infer_layers(const std::vector<const Entry*>& entries, std::size_t entry_count,
                  Network& network);

}  // namespace ooc
