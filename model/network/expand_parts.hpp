// Replaces layers by simpler parts (lstm, gru, additive attention: LayerModel::parts). Later stages
// see layers with one output each, so that schedules can move tensors of single time steps. A part
// of layer "lstm" is called "lstm/0/3/gates". The last part keeps the layer's name, so that readers
// of "lstm" find it (docs/notebook/0003).
#pragma once

#include <vector>

#include "model/network/layer_tree.hpp"
#include "model/network/network.hpp"

namespace ooc {

/// Replaces layers, and updates producers, outputs and execution order. `entries`: entry of the
/// file, by layer. Throws SpecError above kMaxLayers.
void expand_parts(const std::vector<const Entry*>& entries, Network& network);

}  // namespace ooc
