// Layers that unroll into others (lstm, gru, additive attention: LayerModel::parts) give way to them,
// so that every later stage sees plain layers with one output each and a schedule can move the
// tensors of single time steps. The parts of a layer "lstm" are called "lstm/0/3/gates"; the last one
// has the layer's own name, so whoever reads "lstm" reads it (docs/notebook/0003).
#pragma once

#include <vector>

#include "model/network/layer_tree.hpp"
#include "model/network/network.hpp"

namespace ooc {

/// Replaces layers by their parts; producers, outputs and execution order follow. `entries` says
/// where each layer stands in the file. Throws SpecError above kMaxLayers.
void expand_parts(const std::vector<const Entry*>& entries, Network& network);

}  // namespace ooc
