// An iteration in which some tasks run again: what the compute queue runs, in order, and how long
// each tensor is near because of that. A place in that order is a position; up to the end of the
// forward pass it is the task's own number.
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

/// A tensor's stay in one buffer, from the position that makes it to the last that uses it. One that
/// was dropped has a new stay each time it is computed again.
struct TensorStay {
  TensorId tensor;
  std::size_t first = 0;
  std::size_t end = 0;
};

/// A stay is not used in [first, end), between two positions that use it.
struct StayGap {
  std::size_t stay = 0;
  std::size_t first = 0;
  std::size_t end = 0;
  std::optional<std::size_t> written =
      {};  ///< the last position before it that writes; none: an input
};

struct RunList {
  std::vector<TaskRun> runs;
  std::vector<TensorStay> stays;  ///< by first position; network inputs come first
  std::vector<StayGap> gaps;  ///< that a tensor can be away in, by end; those of a stay do not meet
  std::size_t forward_runs = 0;
};

/// How a segment is treated.
enum class SegmentUse : std::uint8_t {
  kKept,        ///< nothing of it is dropped
  kOnce,        ///< computed again at its first use in backward, as a whole, and kept
  kForEachUse,  ///< what a task reads of it is computed for it and dropped after it; not where the
                ///< task behind it reads it too: that would free nothing
};

/// `uses`: by segment. The gaps are those between a tensor's last use in the forward pass and the next one, of every
/// tensor that is not dropped.
[[nodiscard]] RunList list_runs(const PlanningProblem& problem, const Segments& segments,
                                const std::vector<SegmentUse>& uses);

/// What every position needs. In the gaps `away` (indices of gaps) their tensors are not near.
[[nodiscard]] Footprint footprint_of(const PlanningProblem& problem, const RunList& list,
                                     const std::vector<std::size_t>& away = {});

/// OutOfMemory at the first position that does not fit into the budget.
[[nodiscard]] std::optional<OutOfMemory> run_shortage(const PlanningProblem& problem,
                                                      const RunList& list,
                                                      const Footprint& footprint);

/// A tensor is away during a gap: copied out after its last writer, unless far memory holds that already, and copied in
/// again after the run at a position, before the gap's end. A network input is dropped without a copy.
struct GapMove {
  std::size_t gap = 0;
  std::size_t may_return_after = 0;
};

/// The plan that runs this, as build_task_plan does (task_plan.hpp). `moves` by the ends of their gaps, in the
/// order in which the copies in are queued.
[[nodiscard]] Plan build_run_plan(const PlanningProblem& problem, const RunList& list,
                                  const std::vector<GapMove>& moves = {});

}  // namespace ooc
