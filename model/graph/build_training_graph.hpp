// Builds the TrainingGraph of a Network. docs/model.md, 3 gives the rules.
#pragma once

#include <optional>

#include "model/base/precision.hpp"
#include "model/graph/keeping.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

struct GraphOptions {
  /// Rule for the memory of tensors. Only kDefineByRun changes the graph: tensors live as long as eager frameworks hold
  /// them. The other rules select a footprint of the same graph (footprint_per_sample()).
  Accounting accounting = Accounting::kLiveness;
  std::optional<Optimizer> optimizer = {};  ///< unset: the network's; sgd if it has none
  /// Tensors that a framework saves. Leave the defaults with kDefineByRun, which has rules of its own.
  Keeping keeping = {};
  ParameterTypes types = {};

  bool operator==(const GraphOptions&) const = default;
};

/// Returns the graph, which `network` must outlive. Throws SpecError if a layer with "in_place": true
/// cannot run in place, and for a master copy if weights are in float32.
[[nodiscard]] TrainingGraph build_training_graph(const Network& network,
                                                 const GraphOptions& options = {});

}  // namespace ooc
