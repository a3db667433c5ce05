// State of each queue in the event loop, and the outputs of a run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "model/cost/cost_table.hpp"
#include "simulator/engine/link.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc::event_loop {

inline constexpr std::size_t kQueuesPerDevice = 3;
inline constexpr std::size_t kComputeQueue = static_cast<std::size_t>(StepKind::kCompute);
inline constexpr std::size_t kToFarQueue = static_cast<std::size_t>(StepKind::kToFar);
/// All instants stay below this, so that adding one time (< 2^54 ns) cannot overflow.
inline constexpr std::int64_t kLastInstant = std::int64_t{1} << 62;

/// Running queue.
struct Lane {
  const QueuedStep* next = nullptr;  ///< running step, or head
  const QueuedStep* end = nullptr;
  std::int64_t ready = kNoEvent;  ///< since when the head waits for memory; kNoEvent: not
  std::int64_t last_end = 0;      ///< end of the previous step
  std::int64_t ended_round = -1;
};

/// Items by queue: an array of three for one device, else a vector.
template <bool kOneDevice, class Item>
using PerQueue =
    std::conditional_t<kOneDevice, std::array<Item, kQueuesPerDevice>, std::vector<Item>>;

/// Told of every start and end in their order; this one tells nobody.
struct NoObserver {
  void started(StepId /*step*/) const {}
  void ended(StepId /*step*/) const {}
};
/// Writes them down. Has room for all: the loop must not call out.
class EventRecorder {
 public:
  explicit EventRecorder(StepEvent* next) : next_(next) {}
  void started(StepId step) { *next_++ = {step, false}; }
  void ended(StepId step) { *next_++ = {step, true}; }

 private:
  StepEvent* next_;
};

struct Setting {
  const Plan& plan;
  const CostTable& costs;
  Timeline& timeline;
  StallRecorder& stalls;
  // Only for kHost, by compute step:
  std::span<const std::int64_t> issued = {};   ///< instant of issue if the host never waits
  std::span<const std::int64_t> pinning = {};  ///< host ns to pin memory, by list_pinning()
};

}  // namespace ooc::event_loop
