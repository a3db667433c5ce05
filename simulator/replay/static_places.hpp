// Where weights, their gradients and the optimiser's state lie in the static memory. They fill it to the
// byte, so nothing can be rounded up; instead the pieces are sorted by the largest power of two that
// divides their sizes, and each then lies at a multiple of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "model/graph/training_graph.hpp"

namespace ooc {

struct StaticPlace {
  std::int64_t weights = 0;  ///< byte offsets
  std::int64_t gradients = 0;
  std::int64_t state = 0;
};

struct StaticLayout {
  std::vector<StaticPlace> of_layer;
  std::int64_t bytes = 0;
};

[[nodiscard]] StaticLayout place_static_memory(const TrainingGraph& graph);

}  // namespace ooc
