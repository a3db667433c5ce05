// Times of a run: one span for each step, and one cause for every nanosecond in which the compute queue ran no task for
// the first time (docs/architecture.md, 3). Busy + stalls = iteration time, exactly.
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
  kDependency,  ///< a step other than a copy ended last of those awaited
  kSwapIn,      ///< a copy in ended last
  kSwapOut,     ///< a copy out ended last, or freed the memory that was short
  kMemory,      ///< memory was short, and a step other than a copy out freed it
  kFault,       ///< copies for a page fault ran
  kRecompute,   ///< a task ran again, or compressed or restored a tensor
  kLaunch,      ///< the host had not issued the step yet, or pinned memory for a copy out
  kUpdate,      ///< an update in host memory ran, or the copy of its results
  kHooks,       ///< the framework's hooks on weights delayed the host
  kExchange,    ///< sums or gathers between devices ran
};
inline constexpr std::size_t kStallCauses = 10;

/// Returns the name in the result format: "dependency", "swap_in", ...
[[nodiscard]] std::string_view stall_name(StallCause cause);

struct Span {
  Duration start;
  Duration end;
};

/// Time with one cause in which the compute queue is idle, or reruns a task.
struct Stall {
  StallCause cause = StallCause::kDependency;
  std::optional<StepId> before;   ///< next compute step; unset: after the last one
  std::optional<StepId> culprit;  ///< step that was awaited, or freed memory, or rerun; unset: none
  Duration start;
  Duration end;
};

/// Start of a step; with `ends` its end.
struct StepEvent {
  StepId step;
  bool ends = false;
};

struct Timeline {
  std::vector<Span> spans;  ///< by step
  /// All starts and ends in order, also within one instant; empty unless SimulationInput::records.
  std::vector<StepEvent> events;
  std::vector<Stall> stalls;  ///< in time order; zero-length ones left out
  Duration iteration_time;    ///< from the start of the first to the end of the last step
  Duration busy;              ///< time of tasks run for the first time
  std::array<Duration, kStallCauses> stall_totals{};  ///< by cause
  Bytes peak_near;                 ///< peak of GPU memory in use, or reserved, with static bytes
  bool waited_for_memory = false;  ///< true: some step was ready before its blocks fitted
};

/// Returns all starts and ends by time. At one instant: ends of steps that started earlier, then the rest by step.
[[nodiscard]] std::vector<StepEvent> events_of(const std::vector<Span>& spans);

/// Stop of a run: no step is running, and none can start for lack of memory. Step 0 if the initial blocks do not fit.
struct Blocked {
  StepId step;                   ///< first step that was ready
  Bytes wanted;                  ///< bytes of the blocks that the step takes
  Bytes free;                    ///< free bytes
  Bytes largest_hole;            ///< largest contiguous free range
  std::vector<BlockId> holders;  ///< blocks in use, largest first
};

/// Result of a run. Reports read this and never see the engine.
using Outcome = std::variant<Timeline, Blocked>;

// Finds the one cause of every nanosecond in which the compute queue runs no task for the first time
// (docs/architecture.md, 3). The engine reports each idle time as it ends, with the instant at which
// the step was ready and the step whose end freed memory for that step.
//
// If several steps end at the same instant, the cause is, in this order: a ToNear, a ToFar, another
// compute step, the host that issues the step. For memory: a ToFar that freed some at that instant,
// else another. Waits for page-fault copies (Step::on_demand) count as faults; waits for far
// compute or copies of its results (Step::for_update) as updates, for other devices as exchange.
// After the last compute step, with several queues at work: a ToNear, far compute, a ToFar.

/// Idle time of the compute queue, ended by the start of `step`. Times in ns.
struct Gap {
  const QueuedStep& step;
  std::int64_t from = 0;   ///< end of the compute step before; 0 if none
  std::int64_t ready = 0;  ///< instant at which all waits are over and the host has issued the step
  std::int64_t issued = 0;  ///< instant at which the host has issued the step; 0: no issue times
  std::int64_t hooks = 0;   ///< part of the time to issue the step: TaskAlternative::hooks
  std::int64_t start = 0;
  std::optional<StepId> releaser;  ///< step that freed memory; unset: no wait for memory
};

class StallRecorder {
 public:
  StallRecorder(const Plan& plan, Timeline& timeline) : plan_(plan), timeline_(timeline) {}

  void gap(const Gap& gap);  ///< records the idle time in parts, each with one cause
  /// Records a rerun task. `before`: the next compute step; unset: none.
  void recompute(StepId step, std::optional<StepId> before, std::int64_t start, std::int64_t end);
  /// Records the time from the end of the last compute step to the end of the iteration.
  void tail(std::int64_t from, std::int64_t iteration_end);

 private:
  void add(StallCause cause, std::optional<StepId> before, std::optional<StepId> culprit,
           std::int64_t start, std::int64_t end);
  /// Returns the awaited step that ended last; of several, by the order of causes. Unset: none ended after gap.from.
  [[nodiscard]] std::optional<StepId> last_wait(const Gap& gap) const;

  const Plan& plan_;
  Timeline& timeline_;
};

}  // namespace ooc
