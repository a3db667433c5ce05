// Shared weights ("tied_to"): checks them while errors can name the file, then lists them as
// WeightUnit.
#pragma once

#include <vector>

#include "model/network/layer_tree.hpp"
#include "model/network/network.hpp"

namespace ooc {

/// Throws SpecError for a layer tied to one that has no weights of the same shape, is tied itself,
/// or runs later. The owner must run first, since its backward task completes the gradient.
/// `entries`: entry of the file, by layer. Call before parts are expanded.
void check_ties(const std::vector<const Entry*>& entries, const Network& network);

/// Fills Network::units. Call after the last change to the list of layers.
void find_weight_units(Network& network);

}  // namespace ooc
