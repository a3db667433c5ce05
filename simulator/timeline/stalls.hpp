// Gives every nanosecond in which a compute queue does no first-run task its one cause
// (docs/architecture.md, 2). The engine reports each gap as it closes, together with the time at
// which the step was ready and the step whose end made its memory fit.
//
// Where several steps end at the same instant the cause is, in this order: a ToNear, a ToFar,
// another compute step, the host that issues the step. For memory likewise: a ToFar that freed some of it at that instant, else
// the others. Waiting for a copy that page faults asked for (Step::on_demand) counts as a fault, waiting for far compute
// or for a copy of what it wrote (Step::for_update) as an update. Behind the last compute step, where several queues
// are at work: a ToNear, far compute, a ToFar.
#pragma once

#include <cstdint>
#include <optional>

#include "simulator/plan/plan.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

/// A gap of a device's compute queue that ends with the start of `step`. Instants in ns.
struct Gap {
  const QueuedStep& step;
  int device = 0;
  std::int64_t from = 0;    ///< end of the compute step before, or 0
  std::int64_t ready = 0;   ///< all waits had ended, and the host had issued the step
  std::int64_t issued = 0;  ///< when the host had; 0 where nobody waits for it
  std::int64_t start = 0;
  std::optional<StepId> releaser;  ///< where start > ready
};

class StallRecorder {
 public:
  StallRecorder(const Plan& plan, Timeline& timeline) : plan_(plan), timeline_(timeline) {}

  void gap(const Gap& gap);
  /// `before`: the compute step after it on its queue.
  void recompute(int device, StepId step, std::optional<StepId> before, std::int64_t start,
                 std::int64_t end);
  /// From the end of the last compute step to the end of the iteration.
  void tail(int device, std::int64_t from, std::int64_t iteration_end);

 private:
  void add(StallCause cause, int device, std::optional<StepId> before,
           std::optional<StepId> culprit, std::int64_t start, std::int64_t end);
  /// The awaited step that ended last, by the order of causes; none: it waited for none that ended after
  /// `from`.
  [[nodiscard]] std::optional<StepId> last_wait(const Gap& gap) const;

  const Plan& plan_;
  Timeline& timeline_;
};

}  // namespace ooc
