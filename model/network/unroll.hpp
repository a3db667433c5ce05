// Unrolls the tree of blocks into a list of layers: repeats become copies, references become layers.
#pragma once

#include <vector>

#include "model/network/layer_tree.hpp"
#include "model/network/network.hpp"

namespace ooc {

/// Layers in file order with names and producers, not yet with shapes and work.
struct UnrolledLayers {
  std::vector<Layer> layers;
  std::vector<const Entry*> entries;  ///< by layer; point into the tree
};

[[nodiscard]] UnrolledLayers unroll(const LayerTree& tree);

}  // namespace ooc
