// Iteration with reruns: tasks in the order of the compute queue, and the intervals in which
// tensors are in GPU memory. A position is an index in that order. Up to the end of forward,
// position and task index agree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/plan/plan_builder.hpp"
#include "simulator/schedules/footprint.hpp"
#include "simulator/schedules/segments.hpp"

namespace ooc {

struct TaskRun {
  TaskId task;
  bool again = false;  ///< true: a rerun
  AlternativeId algorithm = {};
};

/// Residency interval of a tensor in one buffer: positions [first, end), from its first writer (or 0) to its last use.
/// A dropped tensor has a new interval each time it is recomputed.
struct TensorStay {
  TensorId tensor;
  std::size_t first = 0;
  std::size_t end = 0;
};

/// Gap [first, end) of a residency interval, between two positions that use the tensor.
struct StayGap {
  std::size_t stay = 0;  ///< index of the interval in RunList::stays
  std::size_t first = 0;
  std::size_t end = 0;
  /// Last position before the gap that writes the tensor; unset: network input.
  std::optional<std::size_t> written = {};
};

struct RunList {
  std::vector<TaskRun> runs;      ///< by position: what runs there
  std::vector<TensorStay> stays;  ///< sorted by first position; those of network inputs first
  std::vector<StayGap> gaps;      ///< sorted by end; gaps of one interval are disjoint
  std::size_t forward_runs = 0;   ///< number of runs before backward
};

/// Treatment of a segment's tensors.
enum class SegmentUse : std::uint8_t {
  kKept,        ///< nothing is dropped
  kOnce,        ///< recomputed as a whole at its first use in backward, then kept
  kForEachUse,  ///< recomputed for each reader, then dropped unless the next task reads it
};

/// Returns the iteration in which segments are used as in `uses`, by segment. Each tensor that is not
/// dropped has one gap at most, from its last forward use to its next use.
[[nodiscard]] RunList list_runs(const PlanningProblem& problem, const Segments& segments,
                                const std::vector<SegmentUse>& uses);

/// Returns by position the memory needed. `away`: indices of gaps in which the tensor is not in GPU memory.
[[nodiscard]] Footprint footprint_of(const PlanningProblem& problem, const RunList& list,
                                     const std::vector<std::size_t>& away = {});

/// Returns OutOfMemory at the first position beyond the budget; unset: all fit.
[[nodiscard]] std::optional<OutOfMemory> run_shortage(const PlanningProblem& problem,
                                                      const RunList& list,
                                                      const Footprint& footprint);

/// Move of a tensor in a gap: copied out after its last writer, unless host memory has its contents; copied in after
/// position `may_return_after`. Network inputs are dropped without a copy.
struct GapMove {
  std::size_t gap = 0;               ///< index in RunList::gaps
  std::size_t may_return_after = 0;  ///< position after which the tensor may return
};

/// Returns the plan of the runs and moves, with waits as in build_task_plan (task_plan.hpp). `moves`: by
/// end of their gaps, which is the order of the copies in.
[[nodiscard]] Plan build_run_plan(const PlanningProblem& problem, const RunList& list,
                                  const std::vector<GapMove>& moves = {});

class RunPlanner {
 public:
  /// `problem` must outlive the planner.
  explicit RunPlanner(const PlanningProblem& problem);

  /// Returns the plan as build_run_plan() does. Valid until the next call.
  [[nodiscard]] const Plan& build(const RunList& list, const std::vector<GapMove>& moves);
  [[nodiscard]] Plan build_once(const RunList& list, const std::vector<GapMove>& moves) &&;

 private:
  /// A list of entries for each position. An entry is a number whose meaning the owner knows.
  struct Agenda {
    static constexpr std::int32_t kNone = -1;
    std::vector<std::int32_t> head;  ///< by position: first entry; kNone: no entry
    std::vector<std::int32_t> next;  ///< by entry: next entry of its position; kNone: none

    void clear(std::size_t positions, std::size_t entries);
    /// Adds an entry in front of the position's list.
    void put_first(std::size_t position, std::size_t entry);
  };

  void add_all(const RunList& list, const std::vector<GapMove>& moves);
  void note_moves(const RunList& list, const std::vector<GapMove>& moves);
  void add_run(const RunList& list, const std::vector<GapMove>& moves, std::size_t position);
  StepId add_copy_in(const RunList& list, const GapMove& move);
  BlockId new_block(const RunList& list, std::size_t stay);

  const PlanningProblem& problem_;
  PlanBuilder builder_;
  std::vector<BlockId> block_;  ///< by residency interval (RunList::stays): its latest block
  std::vector<std::optional<StepId>> out_;  ///< by interval: its latest copy out; unset: none
  std::vector<std::int32_t> far_since_;  ///< by interval: position of far copy's writer; -1: none
  std::vector<std::int32_t> last_move_;  ///< by interval: its last move; -1: none
  std::vector<std::int32_t> previous_move_;  ///< by move: previous move of its interval; -1: none
  std::vector<char> goes_out_;               ///< by move: 1 if host memory lacks the contents
  std::vector<StepId> steps_;                ///< by position: its compute step
  std::vector<StepId> copies_;               ///< copies in, for the current run
  Agenda ends_;     ///< blocks to free: entries are intervals, then moves (block before the gap)
  Agenda leaving_;  ///< copies out to begin: entries are moves
  std::size_t next_stay_ = 0;
  std::size_t next_move_ = 0;
};

}  // namespace ooc
