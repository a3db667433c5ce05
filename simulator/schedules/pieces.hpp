// Tasks of the forward pass that write the same tensor (a layer and the activation that overwrites its output in
// place, a dropout and its mask) run again together or not at all: a piece.
#pragma once

#include <optional>
#include <vector>

#include "model/graph/training_graph.hpp"

namespace ooc {

using PieceId = Id<struct PieceTag>;

struct Pieces {
  Csr<PieceId, TaskId> tasks_of;                  ///< by piece, ascending
  std::vector<PieceId> of_task;                   ///< by forward task
  std::vector<std::optional<PieceId>> of_tensor;  ///< by tensor; none: no forward task writes it
};

[[nodiscard]] Pieces find_pieces(const TrainingGraph& graph);

/// The task's layer multiplies (a convolution, a matrix product, attention, a recurrent step) or states its own times:
/// it is not cheap to run again.
[[nodiscard]] bool multiplies(const TrainingGraph& graph, TaskId task);

}  // namespace ooc
