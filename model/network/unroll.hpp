// Unrolls the tree of blocks into a list of layers: repeats become copies, references become layers.
#pragma once

#include <vector>

#include "model/network/layer_tree.hpp"
#include "model/network/network.hpp"

namespace ooc {

/// Layers in file order with names and producers, before shapes and work are inferred.
struct UnrolledLayers {
  std::vector<Layer> layers;
  std::vector<const Entry*> entries;  ///< by layer: its entry in the tree
};

[[nodiscard]] UnrolledLayers unroll(const LayerTree& tree);

/// Fills Layer::model of all layers, producers first. Input: a network with inputs, dtype, producers and
/// execution_order. `entries`: entry of the file, by layer; unknown keys of an entry are refused.
/// Throws SpecError for shapes that do not fit together and for sums beyond the limits.
void infer_layers(const std::vector<const Entry*>& entries, std::size_t entry_count,
                  Network& network);

// Shared weights ("tied_to"): checked while errors can name the file, then listed as WeightUnit.

/// Throws SpecError for a layer tied to one that has no weights of the same shape, is tied itself,
/// or runs later. The owner must run first, since its backward task completes the gradient.
/// `entries`: entry of the file, by layer. Call before parts are expanded.
void check_ties(const std::vector<const Entry*>& entries, const Network& network);

/// Fills Network::units. Call after the last change to the list of layers.
void find_weight_units(Network& network);

// Replaces layers by simpler parts (lstm, gru, additive attention: LayerModel::parts). Later stages
// see layers with one output each, so that schedules can move tensors of single time steps. A part
// of layer "lstm" is called "lstm/0/3/gates". The last part keeps the layer's name, so that readers
// of "lstm" find it (docs/notebook/0003).

/// Replaces layers, and updates producers, outputs and execution order. `entries`: entry of the
/// file, by layer. Throws SpecError above kMaxLayers.
void expand_parts(const std::vector<const Entry*>& entries, Network& network);

}  // namespace ooc
