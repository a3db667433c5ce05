// Who shares whose weights ("tied_to"): checked where the file can be named, then listed as units, of which
// each has one set of weights, one gradient and one update (WeightUnit).
#pragma once

#include <vector>

#include "model/network/layer_tree.hpp"
#include "model/network/network.hpp"

namespace ooc {

/// Throws SpecError where a layer is tied to one that has no such weights, is tied itself, or runs later:
/// backward, the owner's task is the one that completes the gradient. `entries` says where each layer
/// stands in the file; before parts are expanded.
void check_ties(const std::vector<const Entry*>& entries, const Network& network);

/// Fills Network::units; when no layer moves any more.
void find_weight_units(Network& network);

}  // namespace ooc
