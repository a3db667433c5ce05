// Event loop. Every queue is a lane: its remaining steps and the time of its next event. Each turn is one round at one
// instant: first the steps end whose time has come, then every head starts that is ready and fits. Queues are in order,
// so "all waits have ended" compares counts (QueuedStep::needs), and the next event is the smallest of a few numbers.
// No event heap is needed.
//
// The loop is a template over memory (counter or addresses), link (private or shared), observer of starts and ends, and
// the host. So the usual run (a counter, no contention, no host) has no call per step. For that the object must not
// escape: functions that are not inlined (stalls, the shared link) are in separate objects behind references.
//
// kHost: compute steps also wait for the host, which issues them in order and never waits itself. So the instant of
// issue is known beforehand, with one exception: before it pins memory, the host waits until the previous step has
// ended. Far compute is the host's, too: other loops have no queue for it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "model/base/errors.hpp"
#include "model/cost/cost_table.hpp"
#include "simulator/engine/link.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/timeline/timeline.hpp"

/// For members of the loop that must be inlined. Otherwise `this` would escape and every counter would live in memory.
#define OOC_INLINE_MEMBER [[gnu::always_inline]] inline

namespace ooc::event_loop {

/// State of a run that is stuck: no step is running, and no queue's next step (its head) can start.
struct StoppedRun {
  const Plan& plan;
  const QueuedStep& head;  ///< head that waits for memory; of several the first that was ready
  std::int64_t free = 0;   ///< free bytes of GPU memory
  std::int64_t largest_hole = 0;
  std::span<const std::int32_t> done;  ///< by queue_index: number of steps that have ended
};

/// Returns the step that lacks memory, and the blocks in use (simulate.cpp).
[[nodiscard]] Blocked describe(const StoppedRun& run);

inline constexpr std::size_t kComputeQueue = queue_index(StepKind::kCompute);
inline constexpr std::size_t kToFarQueue = queue_index(StepKind::kToFar);
inline constexpr std::size_t kFarComputeQueue = queue_index(StepKind::kFarCompute);
/// Upper limit of all instants, in ns, so that adding one duration (< 2^54 ns) cannot overflow.
inline constexpr std::int64_t kLastInstant = std::int64_t{1} << 62;

/// State of one queue during a run. Instants in ns.
struct Lane {
  const QueuedStep* next = nullptr;  ///< running step, or the next one; == end: none left
  const QueuedStep* end = nullptr;
  std::int64_t ready = kNoEvent;  ///< when `next` began to wait for memory; kNoEvent: it does not
  std::int64_t last_end = 0;      ///< end of the queue's previous step; 0 if none
  std::int64_t ended_round = -1;  ///< round in which the queue's previous step ended; -1: none
};

/// Observer without effect. The loop calls an observer at every start and end of a step, in order.
struct NoObserver {
  void started(StepId /*step*/) const {}
  void ended(StepId /*step*/) const {}
};
/// Observer that writes the events to an array, which must have room for two events a step: the loop never allocates.
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
  // The spans below are read only with kHost. By step; entries of copies are unused.
  std::span<const std::int64_t> issued = {};   ///< ns of issue by a host that never waits
  std::span<const std::int64_t> pinning = {};  ///< host ns to pin memory before (list_pinning())
};

template <class Memory, class Link, class Observer, bool kHost>
class Run {
  static constexpr std::size_t kQueues = kHost ? 4 : 3;

 public:
  Run(const Setting& setting, const Memory& memory, Link& link, Observer observer)
      : to_(setting),
        memory_(memory),
        link_(link),
        observer_(observer),
        spans_(setting.timeline.spans.data()),
        alternatives_(setting.costs.alternatives.data()) {
    const auto& queued = to_.plan.queued;
    for (std::size_t queue = 0; queue < kQueues; ++queue) {
      lanes_[queue].next = queued[queue].data();
      lanes_[queue].end = queued[queue].data() + queued[queue].size();
      events_[queue] = kNoEvent;
    }
  }

  OOC_INLINE_MEMBER std::optional<Blocked> run() {
    for (;;) {
      start_steps();
      if constexpr (Link::kHasPhases) link_.settle(now_, events_);
      const std::int64_t next = next_event();
      if (next > kLastInstant) {
        if (next == kNoEvent) break;
        bad_value("iteration time", "more than 146 years", "less than 2^62 ns");
      }
      now_ = next;
      ++round_;
      end_steps();
    }
    for (const Lane& lane : lanes_) {
      if (lane.next != lane.end) return blocked();
    }
    finish();
    return std::nullopt;
  }

 private:
  /// Calls do_it(queue) for every queue. The calls are written out, so that the queue is a constant.
  template <class DoIt>
  [[gnu::always_inline]] void for_each_queue(DoIt do_it) const {
    do_it(std::integral_constant<std::size_t, 0>{});
    do_it(std::integral_constant<std::size_t, 1>{});
    do_it(std::integral_constant<std::size_t, 2>{});
    if constexpr (kHost) do_it(std::integral_constant<std::size_t, 3>{});
  }
  static bool is_far_compute(std::size_t queue) { return kHost && queue == kFarComputeQueue; }
  static bool runs_tasks(std::size_t queue) {
    return queue == kComputeQueue || is_far_compute(queue);
  }

  OOC_INLINE_MEMBER bool needs_met(const QueuedStep& step) const {
    // Differences instead of comparisons: one branch for all queues.
    std::int32_t least = 0;
    for_each_queue([&](auto queue) __attribute__((always_inline)) {
      least |= done_[queue] - step.needs[queue];
    });
    return least >= 0;
  }

  /// True if the queue is idle, all that its next step waits for has ended, and the host (kHost) has issued it.
  OOC_INLINE_MEMBER bool startable(std::size_t queue) const {
    const Lane& lane = lanes_[queue];
    if constexpr (kHost) {
      if (lane.next != lane.end && issued(queue) > now_) return false;
    }
    return events_[queue] == kNoEvent && lane.next != lane.end && needs_met(*lane.next);
  }

  /// Returns when the host issues the queue's next step, in ns; 0 for copies. Preconditions: kHost, and one is left.
  OOC_INLINE_MEMBER std::int64_t issued(std::size_t queue) const {
    if (!runs_tasks(queue)) return 0;
    const Lane& lane = lanes_[queue];
    const std::size_t step = lane.next->step.at();
    // Pinned memory for copies out of the previous step is allocated once that step has ended.
    return std::max(to_.issued[step],
                    to_.pinning[step] > 0 ? lane.last_end + to_.pinning[step] : 0);
  }

  OOC_INLINE_MEMBER std::int64_t next_event() const {
    if constexpr (kHost) {
      std::int64_t next = *std::min_element(events_.begin(), events_.end());
      for (std::size_t queue = kComputeQueue; queue < kQueues; queue += kFarComputeQueue) {
        const Lane& lane = lanes_[queue];
        if (events_[queue] != kNoEvent || lane.next == lane.end) continue;
        if (const std::int64_t at = issued(queue); at > now_) next = std::min(next, at);
      }
      return next;
    }
    std::int64_t next = kNoEvent;
    for_each_queue([&](auto queue)
                       __attribute__((always_inline)) { next = std::min(next, events_[queue]); });
    return next;
  }

  OOC_INLINE_MEMBER void end_step(std::size_t queue) {
    if constexpr (Link::kHasPhases) {
      if (!runs_tasks(queue) && !link_.arrived(queue, now_, events_[queue])) return;
    }
    Lane& lane = lanes_[queue];
    const QueuedStep& step = *lane.next++;
    spans_[step.step.at()].end = Duration(now_);
    memory_.release(step);
    observer_.ended(step.step);
    events_[queue] = kNoEvent;
    lane.last_end = now_;
    lane.ended_round = round_;
    ++done_[queue];
  }

  OOC_INLINE_MEMBER void end_steps() {
    for_each_queue([this](auto queue) __attribute__((always_inline)) {
      if (events_[queue] == now_) end_step(queue);
    });
  }

  OOC_INLINE_MEMBER void start_step(std::size_t queue) {
    Lane& lane = lanes_[queue];
    const QueuedStep& step = *lane.next;
    spans_[step.step.at()].start = Duration(now_);
    observer_.started(step.step);
    const auto cost = static_cast<std::size_t>(step.cost);
    if (runs_tasks(queue)) {
      const std::int64_t time = alternatives_[cost].time.count();
      events_[queue] = now_ + time;
      if (now_ != lane.last_end && !is_far_compute(queue)) record_gap(queue, step);
      if (step.recompute) {
        record_recompute(queue, time);
      } else if (!is_far_compute(queue)) {
        busy_ += time;
      }
    } else {
      const Direction direction = queue == kToFarQueue ? Direction::kToFar : Direction::kToNear;
      events_[queue] = link_.start({direction, step.on_demand, cost}, queue, now_);
    }
    lane.ready = kNoEvent;
  }

  /// Starts the next steps of all queues that may start. False, and none is started, unless all of them fit together.
  OOC_INLINE_MEMBER bool start_together() {
    std::array<bool, kQueues> starts;
    std::int64_t wanted = 0;
    for_each_queue([&](auto queue) __attribute__((always_inline)) {
      starts[queue] = startable(queue);
      if (starts[queue]) wanted += lanes_[queue].next->acquired.count();
    });
    if (!memory_.take_bytes(wanted)) return false;
    for_each_queue([&](auto queue) __attribute__((always_inline)) {
      if (starts[queue]) start_step(queue);
    });
    return true;
  }

  OOC_INLINE_MEMBER void start_steps() {
    if constexpr (!Memory::kOrderMatters) {
      if (start_together()) return;
    }
    start_in_order();
  }

  /// Starts the next steps that fit, one by one, in the order of (ready time, sequence).
  OOC_INLINE_MEMBER void start_in_order() {
    std::array<std::size_t, kQueues> candidates;
    auto end = candidates.begin();
    for (std::size_t queue = 0; queue < kQueues; ++queue) {
      if (!startable(queue)) continue;
      if (lanes_[queue].ready == kNoEvent) lanes_[queue].ready = now_;
      *end++ = queue;
    }
    const auto earlier = [&](std::size_t a, std::size_t b) {
      const Lane& first = lanes_[a];
      const Lane& second = lanes_[b];
      if (first.ready != second.ready) return first.ready < second.ready;
      return first.next->step < second.next->step;
    };
    for (auto place = candidates.begin(); place != end; ++place) {
      std::iter_swap(place, std::min_element(place, end, earlier));
      const std::size_t queue = *place;
      if (memory_.take(*lanes_[queue].next)) {
        start_step(queue);
      } else {
        waited_ = true;
      }
    }
  }

  /// Returns a step whose end freed memory in this round: a copy out, else the first in sequence; unset: none.
  OOC_INLINE_MEMBER std::optional<StepId> releaser() const {
    std::optional<StepId> found;
    for (std::size_t queue = 0; queue < kQueues; ++queue) {
      if (lanes_[queue].ended_round != round_) continue;
      const QueuedStep& step = *(lanes_[queue].next - 1);
      if (!memory_.has_freed(step)) continue;
      if (queue == kToFarQueue) return step.step;
      if (!found || step.step < *found) found = step.step;
    }
    return found;
  }

  OOC_INLINE_MEMBER void record_gap(std::size_t queue, const QueuedStep& step) {
    const Lane& lane = lanes_[queue];
    const std::int64_t ready = lane.ready == kNoEvent ? now_ : lane.ready;
    to_.stalls.gap({.step = step,
                    .from = lane.last_end,
                    .ready = ready,
                    .issued = kHost ? issued(queue) : 0,
                    .hooks = kHost ? to_.costs[AlternativeId{step.cost}].hooks.count() : 0,
                    .start = now_,
                    .releaser = now_ > ready ? releaser() : std::nullopt});
  }

  OOC_INLINE_MEMBER void record_recompute(std::size_t queue, std::int64_t time) {
    const Lane& lane = lanes_[queue];
    const QueuedStep* after = lane.next + 1;
    to_.stalls.recompute(lane.next->step,
                         after == lane.end ? std::nullopt : std::optional(after->step), now_,
                         now_ + time);
  }

  OOC_INLINE_MEMBER Blocked blocked() const {
    std::optional<std::size_t> head;
    for (std::size_t queue = 0; queue < kQueues; ++queue) {
      const Lane& lane = lanes_[queue];
      if (lane.next == lane.end || lane.ready == kNoEvent) continue;
      if (!head || std::pair(lane.ready, lane.next->step) <
                       std::pair(lanes_[*head].ready, lanes_[*head].next->step)) {
        head = queue;
      }
    }
    OOC_CHECK(head.has_value(), "a plan does not wait on itself");
    return describe({.plan = to_.plan,
                     .head = *lanes_[*head].next,
                     .free = memory_.free(),
                     .largest_hole = memory_.largest_hole(),
                     .done = done_});
  }

  OOC_INLINE_MEMBER void finish() {
    to_.stalls.tail(lanes_[kComputeQueue].last_end, now_);
    to_.timeline.iteration_time = Duration(now_);
    to_.timeline.busy = Duration(busy_);
    to_.timeline.waited_for_memory = waited_;
    to_.timeline.peak_near = to_.plan.static_bytes + Bytes(memory_.peak());
  }

  Setting to_;
  Memory memory_;
  Link& link_;
  [[no_unique_address]] Observer observer_;
  Span* spans_;
  const TaskAlternative* alternatives_;
  std::array<Lane, kQueues> lanes_{};
  std::array<std::int64_t, kQueues> events_{};  ///< by queue: ns of its next event; kNoEvent: idle
  std::array<std::int32_t, kQueues> done_{};    ///< by queue: number of steps that have ended
  std::int64_t now_ = 0;
  std::int64_t round_ = 0;
  std::int64_t busy_ = 0;
  bool waited_ = false;
};

}  // namespace ooc::event_loop

#undef OOC_INLINE_MEMBER
