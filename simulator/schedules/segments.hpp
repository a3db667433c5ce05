// Which parts of a forward pass are cheap enough to be thrown away and computed again, on any graph.
//
// A layer that multiplies (convolutions, matrix products, attention, recurrent steps) or states its
// own times is a checkpoint; layers between two checkpoints in the order of execution form a segment.
// What a segment's layers write is dropped after its last forward use and computed again from what
// the segment reads, which stays. So that one recomputation never drags in another, a saved value
// that a cheap layer of a later segment reads (the input of a residual block's sum) is a checkpoint
// too. An unsaved one is computed again along with its reader, if all that it reads stays.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/schedules/pieces.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

struct RecomputeSegment {
  std::vector<TaskId> tasks;      ///< to compute all of it again, in order
  std::vector<TensorId> dropped;  ///< what backward reads of it; away in between
  Bytes freed;                    ///< sum of `dropped`
  Duration time;                  ///< of `tasks`
  /// What is near when its first reader in backward runs, if it is computed again once and kept: all
  /// that its tasks read and write, and what that reader needs beside it.
  Bytes kept_at_once;
};

struct Segments {
  /// In the order of execution; only those that give back more than they keep near for it.
  std::vector<RecomputeSegment> list;
  std::vector<std::optional<std::size_t>> of_tensor;  ///< by tensor: the segment that drops it
  std::vector<std::optional<PieceId>> piece_of;       ///< by tensor; none: it stays
  Csr<PieceId, TaskId> tasks_of;                      ///< by piece, ascending
  Bytes largest_working_set;                          ///< of one task
};

[[nodiscard]] Segments find_segments(const PlanningProblem& problem);

}  // namespace ooc
