// Builds the TrainingGraph of a Network. docs/model.md, 3 gives the rules.
#pragma once

#include <optional>

#include "model/base/precision.hpp"
#include "model/graph/keeping.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

struct GraphOptions {
  /// Rule for the memory of tensors. Only kDefineByRun changes the graph: it extends the lifetimes of tensors that
  /// eager frameworks hold. Other rules select a footprint of the same graph (training_graph.hpp).
  Accounting accounting = Accounting::kLiveness;
  std::optional<Optimizer> optimizer = {};  ///< unset: the network's; sgd if it has none
  /// Tensors that a framework saves. Keep the defaults with kDefineByRun, which has rules of its own.
  Keeping keeping = {};
  ParameterTypes types = {};

  bool operator==(const GraphOptions&) const = default;
};

/// Returns the graph; `network` must outlive it. Throws SpecError if "in_place": true is
/// impossible, and for a master copy of weights in float32.
[[nodiscard]] TrainingGraph build_training_graph(const Network& network,
                                                 const GraphOptions& options = {});

}  // namespace ooc
