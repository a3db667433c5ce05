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
};
inline constexpr std::size_t kStallCauses = 8;

/// Name in the result format: "dependency", "swap_in", ...
[[nodiscard]] std::string_view stall_name(StallCause cause);

struct Span {
  Duration start;
  Duration end;
};

/// Gap of a compute queue, or a rerun task.
struct Stall {
  StallCause cause = StallCause::kDependency;
  std::int16_t device = 0;
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
  /// All starts and ends as they followed each other, also within one instant; empty where nobody asked for them.
  std::vector<StepEvent> events;
  std::vector<Stall> stalls;  ///< in time order per device; zero-length ones left out
  Duration iteration_time;    ///< from the start of the first to the end of the last step
  Duration busy;              ///< first-run task time (device 0)
  std::array<Duration, kStallCauses> stall_totals{};  ///< device 0, by cause
  Bytes peak_near;                 ///< largest near-memory use of a device, static bytes included
  bool waited_for_memory = false;  ///< a step was ready before its blocks fitted
};

/// Events for spans whose order is not known: at one instant ends come first, then steps one by one as planned.
[[nodiscard]] std::vector<StepEvent> events_of(const std::vector<Span>& spans);

/// The run stopped: no step is running and no head of a queue can start.
struct Blocked {
  StepId step;  ///< head of a queue that was ready first
  Bytes wanted;
  Bytes free;
  Bytes largest_hole;
  std::vector<BlockId> holders;  ///< blocks held on its device, largest first
};

/// Result of a run. Reports read this and never see the engine.
using Outcome = std::variant<Timeline, Blocked>;

}  // namespace ooc
