// Unrolls the tree of blocks into a list of layers: repeats become copies, references become layers.
#pragma once

#include <vector>

#include "model/network/layer_tree.hpp"
#include "model/network/network.hpp"

namespace ooc {

/// Layers in file order with names and producers, before shapes and work are inferred.
struct UnrolledLayers {
  std::vector<Layer> layers;
  std::vector<const Entry*> entries;  ///< by layer: entry of the tree that the layer is a copy of
};

/// Returns the layers of all copies. `tree` must outlive the result.
[[nodiscard]] UnrolledLayers unroll(const LayerTree& tree);

/// Sets Layer::model of all layers. Precondition: `network` has inputs, dtype, producers and execution_order.
/// `entries`: UnrolledLayers::entries; `entry_count`: LayerTree::entry_count. Throws SpecError for unknown
/// keys, for shapes that do not fit together and for sums beyond the limits.
void infer_layers(const std::vector<const Entry*>& entries, std::size_t entry_count,
                  Network& network);

// Shared weights ("tied_to"): checked while errors can name the file, then listed as WeightUnit.

/// Throws SpecError for a layer tied to a layer that has no weights of the same shape, is tied itself, or
/// runs later. The owner must run first, since its backward task completes the gradient. `entries`:
/// UnrolledLayers::entries. Precondition: expand_parts() has not run.
void check_ties(const std::vector<const Entry*>& entries, const Network& network);

/// Sets Network::units. Precondition: the list of layers is final (expand_parts() has run).
void find_weight_units(Network& network);

// Replaces layers by simpler parts (lstm, gru, additive attention: LayerModel::parts). Later stages see layers with
// one output each, so that schedules can move tensors of single time steps. A part of layer "lstm" is called
// "lstm/0/3/gates". The last part keeps the layer's name, so that readers of "lstm" find it (docs/notebook/0003).

/// Replaces the layers, and updates producers, tied_to, outputs and execution order. `entries`:
/// UnrolledLayers::entries. Throws SpecError for more than kMaxLayers layers.
void expand_parts(const std::vector<const Entry*>& entries, Network& network);

}  // namespace ooc
