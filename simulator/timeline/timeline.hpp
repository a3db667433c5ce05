// Times of a run: one span for each step, and one cause for every nanosecond in which the compute
// queue ran no task for the first time (docs/architecture.md, 3). Busy + stalls = iteration time,
// exactly.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "model/base/ids.hpp"
#include "model/base/units.hpp"
#include "simulator/plan/plan.hpp"

namespace ooc {

enum class StallCause : std::uint8_t {
  kDependency,
  kSwapIn,
  kSwapOut,
  kMemory,
  kFault,
  kRecompute,
  kLaunch,
  kUpdate,  ///< update in host memory, or the copy of its results
  kHooks,   ///< the framework's hooks on weights hold the host up
  kExchange,
};
inline constexpr std::size_t kStallCauses = 10;

/// Returns the name in the result format: "dependency", "swap_in", ...
[[nodiscard]] std::string_view stall_name(StallCause cause);

struct Span {
  Duration start;
  Duration end;
};

/// Gap of the compute queue, or a rerun task.
struct Stall {
  StallCause cause = StallCause::kDependency;
  std::optional<StepId> before;   ///< next compute step; unset: after the last one
  std::optional<StepId> culprit;  ///< step whose end was awaited; unset: none
  Duration start;
  Duration end;
};

/// The start or the end of a step.
struct StepEvent {
  StepId step;
  bool ends = false;
};

struct Timeline {
  std::vector<Span> spans;  ///< by step
  /// All starts and ends in order, also within one instant; empty unless the simulation was asked for them.
  std::vector<StepEvent> events;
  std::vector<Stall> stalls;  ///< in time order; zero-length ones left out
  Duration iteration_time;    ///< from the start of the first to the end of the last step
  Duration busy;              ///< time of tasks run for the first time
  std::array<Duration, kStallCauses> stall_totals{};  ///< by cause
  Bytes peak_near;                 ///< largest near-memory use, static bytes included
  bool waited_for_memory = false;  ///< a step was ready before its blocks fitted
};

/// Returns events for steps known only by their times. At one instant ends come first, then steps as planned.
[[nodiscard]] std::vector<StepEvent> events_of(const std::vector<Span>& spans);

/// Stop of a run: no step is running and no head of a queue can start.
struct Blocked {
  StepId step;  ///< head of a queue that was ready first
  Bytes wanted;
  Bytes free;
  Bytes largest_hole;
  std::vector<BlockId> holders;  ///< blocks held, largest first
};

/// Result of a run. Reports read this and never see the engine.
using Outcome = std::variant<Timeline, Blocked>;

// Finds the one cause of every nanosecond in which the compute queue runs no task for the first time
// (docs/architecture.md, 3). The engine reports each gap as it closes, with the instant at which
// the step was ready and the step whose end freed memory for it.
//
// If several steps end at the same instant, the cause is, in this order: a ToNear, a ToFar, another
// compute step, the host that issues the step. For memory: a ToFar that freed some at that instant,
// else another. Waits for page-fault copies (Step::on_demand) count as faults; waits for far
// compute or copies of its results (Step::for_update) as updates, for other devices as exchange. After the last compute step, with
// several queues at work: a ToNear, far compute, a ToFar.

/// Gap of the compute queue, ended by the start of `step`. Instants in ns.
struct Gap {
  const QueuedStep& step;
  std::int64_t from = 0;    ///< end of the compute step before; 0 if none
  std::int64_t ready = 0;   ///< instant: all waits over, step issued by the host
  std::int64_t issued = 0;  ///< instant: step issued by the host; 0 without issue times
  std::int64_t hooks = 0;   ///< of the time until then: TaskAlternative::hooks
  std::int64_t start = 0;
  std::optional<StepId> releaser;  ///< step that freed memory; set if start > ready
};

class StallRecorder {
 public:
  StallRecorder(const Plan& plan, Timeline& timeline) : plan_(plan), timeline_(timeline) {}

  void gap(const Gap& gap);
  /// Records a rerun task. `before`: the next compute step; unset: none.
  void recompute(StepId step, std::optional<StepId> before, std::int64_t start, std::int64_t end);
  /// Records the time from the end of the last compute step to the end of the iteration.
  void tail(std::int64_t from, std::int64_t iteration_end);

 private:
  void add(StallCause cause, std::optional<StepId> before, std::optional<StepId> culprit,
           std::int64_t start, std::int64_t end);
  /// Returns the awaited step that ended last, by the order of causes. Unset: none ended after
  /// `from`.
  [[nodiscard]] std::optional<StepId> last_wait(const Gap& gap) const;

  const Plan& plan_;
  Timeline& timeline_;
};

}  // namespace ooc
