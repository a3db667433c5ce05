// What the event loop keeps per queue, and what it writes to.
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
#include "simulator/timeline/stalls.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc::event_loop {

inline constexpr std::size_t kQueuesPerDevice = 3;
inline constexpr std::size_t kComputeQueue = static_cast<std::size_t>(StepKind::kCompute);
inline constexpr std::size_t kToFarQueue = static_cast<std::size_t>(StepKind::kToFar);
/// Instants stay below this, so that adding one time (< 2^54) never overflows.
inline constexpr std::int64_t kLastInstant = std::int64_t{1} << 62;

/// A queue while it runs.
struct Lane {
  const QueuedStep* next = nullptr;  ///< running, or the head
  const QueuedStep* end = nullptr;
  std::int64_t ready = kNoEvent;  ///< when a head that did not fit became ready; kNoEvent: none
  std::int64_t last_end = 0;      ///< of the step before
  std::int64_t ended_round = -1;
};

/// One device: everything per queue is a fixed array of three.
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
  // kHost only, by step of a compute queue:
  std::span<const std::int64_t> issued = {};   ///< when the host has issued it, if it never waits
  std::span<const std::int64_t> pinning = {};  ///< list_pinning()
};

}  // namespace ooc::event_loop
