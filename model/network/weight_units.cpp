// One pass over the layers each. See weight_units.hpp.
#include "model/network/weight_units.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

std::string shape_text(const WeightMatrix& matrix) {
  return fmt::format("{}x{}", matrix.rows, matrix.columns);
}

class TieChecker {
 public:
  explicit TieChecker(const Network& network) : network_(network), rank_(network.layers.size()) {
    for (std::size_t i = 0; i < network.execution_order.size(); ++i) {
      rank_[network.execution_order[i].at()] = i;
    }
  }

  void check(LayerId id, const Entry& entry) const {
    const Layer& layer = network_.layers[id.at()];
    OOC_CHECK(layer.model->is_tied && layer.model->weight_matrix, "the kind has read \"tied_to\"");
    const LayerId owner_id = *layer.tied_to;
    const Layer& owner = network_.layers[owner_id.at()];
    const WeightMatrix wanted = *layer.model->weight_matrix;
    const std::string copy = layer.name == entry.name ? "" : "layer " + layer.name;
    const auto fail = [&](const std::string& what, const std::string& expected) {
      entry.spec.get("tied_to").fail(fmt::format("\"{}\"{}", owner.name, what), expected, copy);
    };
    if (owner_id == id) fail(", the layer itself", "another layer");
    if (owner.model->is_tied) {
      fail(", which is tied itself", fmt::format("\"{}\", whose weights they are",
                                                 network_.layers[owner.tied_to->at()].name));
    }
    if (!owner.model->weight_matrix) {
      fail(fmt::format(" ({})", owner.kind->name),
           fmt::format("a layer with a matrix of weights of {}", shape_text(wanted)));
    }
    if (*owner.model->weight_matrix != wanted) {
      fail(fmt::format(" with weights of {}", shape_text(*owner.model->weight_matrix)),
           fmt::format("weights of {}, as this layer's", shape_text(wanted)));
    }
    if (owner.model->is_frozen != layer.model->is_frozen) {
      fail(owner.model->is_frozen ? ", which is frozen" : ", which is not frozen",
           "both frozen or neither: they share one set of weights");
    }
    if (rank_[owner_id.at()] > rank_[id.at()]) {
      fail(", which runs later", "a layer that runs before this one");
    }
  }

 private:
  const Network& network_;
  std::vector<std::size_t> rank_;  ///< by layer, in execution order
};

}  // namespace

void check_ties(const std::vector<const Entry*>& entries, const Network& network) {
  std::optional<TieChecker> checker;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    if (!network.layers[i].tied_to) continue;
    if (!checker) checker.emplace(network);
    checker->check(make_id<LayerId>(i), *entries[i]);
  }
}

void find_weight_units(Network& network) {
  std::vector<std::size_t> unit_of(network.layers.size());
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const std::int64_t parameters = network.layers[i].model->parameters;
    if (parameters == 0) continue;
    unit_of[i] = network.units.size();
    network.units.push_back({.owner = make_id<LayerId>(i),
                             .tied = {},
                             .parameters = parameters,
                             .is_frozen = network.layers[i].model->is_frozen});
  }
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    if (const auto owner = network.layers[i].tied_to) {
      network.units[unit_of[owner->at()]].tied.push_back(make_id<LayerId>(i));
    }
  }
}

}  // namespace ooc
