// Finds the one cause of every nanosecond in which a compute queue runs no task for the first time
// (docs/architecture.md, 3). The engine reports each gap as it closes, with the instant at which
// the step was ready and the step whose end freed memory for it.
//
// If several steps end at the same instant, the cause is, in this order: a ToNear, a ToFar, another
// compute step, the host that issues the step. For memory: a ToFar that freed some at that instant,
// else another. Waits for page-fault copies (Step::on_demand) count as faults; waits for far
// compute or copies of its results (Step::for_update) as updates. After the last compute step, with
// several queues at work: a ToNear, far compute, a ToFar.
#pragma once

#include <cstdint>
#include <optional>

#include "simulator/plan/plan.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

/// Gap of a compute queue, ended by the start of `step`. Instants in ns.
struct Gap {
  const QueuedStep& step;
  int device = 0;
  std::int64_t from = 0;    ///< end of the compute step before; 0 if none
  std::int64_t ready = 0;   ///< all waits had ended and the host had issued the step
  std::int64_t issued = 0;  ///< the host had issued the step; 0 if no step waits for the host
  std::int64_t start = 0;
  std::optional<StepId> releaser;  ///< step that freed memory; set if start > ready
};

class StallRecorder {
 public:
  StallRecorder(const Plan& plan, Timeline& timeline) : plan_(plan), timeline_(timeline) {}

  void gap(const Gap& gap);
  /// `before`: the next compute step on its queue; unset: none.
  void recompute(int device, StepId step, std::optional<StepId> before, std::int64_t start,
                 std::int64_t end);
  /// Time from the end of the last compute step to the end of the iteration.
  void tail(int device, std::int64_t from, std::int64_t iteration_end);

 private:
  void add(StallCause cause, int device, std::optional<StepId> before,
           std::optional<StepId> culprit, std::int64_t start, std::int64_t end);
  /// Returns the awaited step that ended last, by the order of causes. Unset: none ended after
  /// `from`.
  [[nodiscard]] std::optional<StepId> last_wait(const Gap& gap) const;

  const Plan& plan_;
  Timeline& timeline_;
};

}  // namespace ooc
