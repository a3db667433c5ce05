// An iteration of a graph and costs that stand elsewhere.
#pragma once

#include "model/rewrite/iteration.hpp"

namespace ooc {

[[nodiscard]] inline Iteration iteration_of(const TrainingGraph& graph, const CostTable& costs) {
  return {.graph = {std::shared_ptr<void>(), &graph}, .costs = costs, .sub_batch = costs.batch};
}

}  // namespace ooc
