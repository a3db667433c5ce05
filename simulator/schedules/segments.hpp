// Segments of the forward pass that are cheap to drop and recompute, on any graph.
//
// A layer that multiplies (convolution, matrix product, attention, recurrent step) or states its own times is
// a checkpoint. Layers between two checkpoints in execution order form a segment. Outputs of a segment are
// dropped after their last forward use and recomputed from the segment's inputs, which stay. A saved value
// that a cheap layer of a later segment reads (the input of a residual sum) is a checkpoint, too, so that one
// recomputation never causes another. An unsaved one is recomputed with its reader, if all its inputs stay.
#pragma once

#include <optional>
#include <vector>

#include "model/graph/training_graph.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

// Pieces: forward tasks that write the same tensor and so are rerun together. Examples: a layer and
// the activation that overwrites its output; a dropout and its mask.

using PieceId = Id<struct PieceTag>;

struct Pieces {
  Csr<PieceId, TaskId> tasks_of;                  ///< by piece: its tasks, ascending
  std::vector<PieceId> of_task;                   ///< by forward task: its piece
  std::vector<std::optional<PieceId>> of_tensor;  ///< by tensor: its piece; unset: none writes it
};

[[nodiscard]] Pieces find_pieces(const TrainingGraph& graph);

/// True if the task's layer multiplies (convolution, matrix product, attention, recurrent step) or
/// states its own times, and so is expensive to rerun.
[[nodiscard]] bool multiplies(const TrainingGraph& graph, TaskId task);

struct RecomputeSegment {
  std::vector<TaskId> tasks;      ///< tasks that recompute the whole segment, in order
  std::vector<TensorId> dropped;  ///< outputs of the segment that backward reads
  Bytes freed;                    ///< bytes of `dropped`
  Duration time;                  ///< sum of the times of `tasks`
  /// Bytes at the first backward task that reads the segment, if it is recomputed once and kept: all
  /// tensors that `tasks` and the reader touch, and the largest of their workspaces.
  Bytes kept_at_once;
};

struct Segments {
  /// Segments in execution order, without those that free no more than must stay to recompute them.
  std::vector<RecomputeSegment> list;
  std::vector<std::optional<std::size_t>> of_tensor;  ///< by tensor: index in `list`; unset: none
  std::vector<std::optional<PieceId>> piece_of;  ///< by tensor: its piece; unset: never recomputed
  Csr<PieceId, TaskId> tasks_of;                 ///< by piece: its tasks, ascending
  Bytes largest_working_set;  ///< largest sum over tasks: bytes of the task's tensors and workspace
};

[[nodiscard]] Segments find_segments(const PlanningProblem& problem);

}  // namespace ooc
