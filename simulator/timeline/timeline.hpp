// What happened: one span per step, and one cause for every nanosecond in which the compute queue
// did no first-run task (docs/architecture.md, 2). Busy + stalls = iteration time, to the
// nanosecond.
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
  kUpdate,  ///< an update in far memory, or the copy of what it wrote
};
inline constexpr std::size_t kStallCauses = 8;

/// "dependency", "swap_in", ...: the names of the result format.
[[nodiscard]] std::string_view stall_name(StallCause cause);

struct Span {
  Duration start;
  Duration end;
};

/// A gap of a compute queue (or a recompute step): `before` is the compute step that starts after
/// it.
struct Stall {
  StallCause cause = StallCause::kDependency;
  std::int16_t device = 0;
  std::optional<StepId> before;   ///< none: after the last compute step
  std::optional<StepId> culprit;  ///< the step whose end was waited for, where there is one
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
  Bytes peak_near;  ///< largest near-memory use of a device, static bytes included
};

/// Events for spans whose order is not known: at one instant ends come first, then steps one by one as planned.
[[nodiscard]] std::vector<StepEvent> events_of(const std::vector<Span>& spans);

/// The run stopped: no step is running and no head of a queue can start.
struct Blocked {
  StepId step;  ///< the head that was ready first
  Bytes wanted;
  Bytes free;
  Bytes largest_hole;
  std::vector<BlockId> holders;  ///< blocks still held on its device, largest first
};

/// How a run ends: what the engine returns and what reports read (they never see the engine).
using Outcome = std::variant<Timeline, Blocked>;

}  // namespace ooc
