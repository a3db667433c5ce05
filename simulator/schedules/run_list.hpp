// Iteration with reruns: tasks in the order of the compute queue, and the time that each tensor is
// near. A position is a place in that order. Up to the end of forward, position and task index
// agree.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "simulator/schedules/footprint.hpp"
#include "simulator/schedules/segments.hpp"

namespace ooc {

struct TaskRun {
  TaskId task;
  bool again = false;
  AlternativeId way = {};
};

/// Residency interval of a tensor in one buffer, from the position that writes it to its last use.
/// A dropped tensor has a new one each time it is recomputed.
struct TensorStay {
  TensorId tensor;
  std::size_t first = 0;
  std::size_t end = 0;
};

/// Gap [first, end) of a residency interval, between two positions that use the tensor.
struct StayGap {
  std::size_t stay = 0;
  std::size_t first = 0;
  std::size_t end = 0;
  std::optional<std::size_t> written =
      {};  ///< last position before it that writes; unset: network input
};

struct RunList {
  std::vector<TaskRun> runs;
  std::vector<TensorStay> stays;  ///< sorted by first position; network inputs first
  std::vector<StayGap> gaps;      ///< gaps sorted by end; gaps of one interval are disjoint
  std::size_t forward_runs = 0;
};

/// Recomputation of a segment.
enum class SegmentUse : std::uint8_t {
  kKept,        ///< nothing is dropped
  kOnce,        ///< recomputed as a whole at its first use in backward, then kept
  kForEachUse,  ///< recomputed for each reader, then dropped unless the next task reads it
};

/// `uses`: by segment. Gaps reach from a tensor's last forward use to its next use, for all tensors
/// that are not dropped.
[[nodiscard]] RunList list_runs(const PlanningProblem& problem, const Segments& segments,
                                const std::vector<SegmentUse>& uses);

/// Returns the needs by position. `away`: gaps in which the tensor is not near, as indices.
[[nodiscard]] Footprint footprint_of(const PlanningProblem& problem, const RunList& list,
                                     const std::vector<std::size_t>& away = {});

/// Returns OutOfMemory at the first position beyond the budget; unset: all fit.
[[nodiscard]] std::optional<OutOfMemory> run_shortage(const PlanningProblem& problem,
                                                      const RunList& list,
                                                      const Footprint& footprint);

/// Move of a tensor in a gap: copied out after its last writer, unless host memory has its contents; copied
/// in after the run at a position before the gap's end. Network inputs are dropped without a copy.
struct GapMove {
  std::size_t gap = 0;
  std::size_t may_return_after = 0;
};

/// Returns the plan, as build_task_plan does (task_plan.hpp). `moves`: by end of their gaps, which
/// is the order of the copies in.
[[nodiscard]] Plan build_run_plan(const PlanningProblem& problem, const RunList& list,
                                  const std::vector<GapMove>& moves = {});

}  // namespace ooc
