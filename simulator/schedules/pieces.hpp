// Pieces: forward tasks that write the same tensor and so are rerun together. Examples: a layer and
// the activation that overwrites its output; a dropout and its mask.
#pragma once

#include <optional>
#include <vector>

#include "model/graph/training_graph.hpp"

namespace ooc {

using PieceId = Id<struct PieceTag>;

struct Pieces {
  Csr<PieceId, TaskId> tasks_of;                  ///< by piece: its tasks, ascending
  std::vector<PieceId> of_task;                   ///< by forward task: its piece
  std::vector<std::optional<PieceId>> of_tensor;  ///< by tensor; unset: no piece writes it
};

[[nodiscard]] Pieces find_pieces(const TrainingGraph& graph);

/// True if the task's layer multiplies (convolution, matrix product, attention, recurrent step) or
/// states its own times: expensive to rerun.
[[nodiscard]] bool multiplies(const TrainingGraph& graph, TaskId task);

}  // namespace ooc
