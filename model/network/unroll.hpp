// From the tree of blocks to the list of layers: repeats become copies, references become layers.
#pragma once

#include <vector>

#include "model/network/layer_tree.hpp"
#include "model/network/network.hpp"

namespace ooc {

/// The layers of `tree` in file order with names and producers; shapes and costs are still missing.
struct UnrolledLayers {
  std::vector<Layer> layers;
  std::vector<const Entry*>
      entries;  ///< by layer: where it stands in the file; points into the tree
};

[[nodiscard]] UnrolledLayers unroll(const LayerTree& tree);

}  // namespace ooc
