// Network -> TrainingGraph. The rules stand in docs/model.md, section 3.
#pragma once

#include <optional>

#include "model/base/dtype.hpp"
#include "model/graph/keeping.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

struct GraphOptions {
  /// Only kDefineByRun changes the graph (it pins what eager frameworks keep); the others are
  /// footprints over the liveness graph (liveness.hpp).
  Accounting accounting = Accounting::kLiveness;
  std::optional<Optimizer> optimizer = {};  ///< none: the network's, else sgd
  /// What a framework keeps; define-by-run has rules of its own, and wants the defaults here.
  Keeping keeping = {};
  std::optional<Dtype> gradient_dtype = {};  ///< of the weights; none: as the precision says

  bool operator==(const GraphOptions&) const = default;
};

/// `network` must outlive the result. Throws SpecError where in_place was asked for and is
/// impossible.
[[nodiscard]] TrainingGraph build_training_graph(const Network& network,
                                                 const GraphOptions& options = {});

}  // namespace ooc
