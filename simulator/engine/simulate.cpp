// The event loop. Every queue is a lane: the steps it has still to run and the time of its next
// event. Each turn of the loop is one round at one instant: end what ends now, then start every
// head that is ready and fits. Since a queue is in order, "all waits have ended" is a comparison of
// counts (QueuedStep::needs), and the next event is the smallest of a few numbers: there is no
// event heap.
//
// The loop is a template over memory (counter or addresses), link (private or shared) and the
// number of devices, so that the usual run (one device, a counter, nothing contends) has no call
// and no indirection per step.
#include "simulator/engine/simulate.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>
#include <utility>

#include "model/base/errors.hpp"
#include "simulator/timeline/stalls.hpp"

namespace ooc {

namespace {

constexpr std::size_t kQueuesPerDevice = 3;
constexpr std::size_t kCompute = static_cast<std::size_t>(StepKind::kCompute);
constexpr std::size_t kToFar = static_cast<std::size_t>(StepKind::kToFar);
/// Instants stay below this, so that adding one time (< 2^54) never overflows.
constexpr std::int64_t kLastInstant = std::int64_t{1} << 62;

/// A queue while it runs.
struct Lane {
  const QueuedStep* next = nullptr;  ///< running, or the head
  const QueuedStep* end = nullptr;
  std::int64_t ready = kNoEvent;  ///< when the head's waits had all ended; kNoEvent: not yet
  std::int64_t last_end = 0;    ///< of the step before
  std::int64_t ended_round = -1;
};

/// One device: everything per queue is a fixed array of three.
template <bool kOneDevice, class Item>
using PerQueue =
    std::conditional_t<kOneDevice, std::array<Item, kQueuesPerDevice>, std::vector<Item>>;

template <class Memory, class Link, bool kOneDevice>
class Run {
 public:
  Run(const SimulationInput& input, Memory memory, Link link, Timeline& timeline);

  std::optional<Blocked> run();

 private:
  [[nodiscard]] std::size_t queues() const { return kOneDevice ? kQueuesPerDevice : lanes_.size(); }
  static std::size_t device_of(std::size_t queue) {
    return kOneDevice ? 0 : queue / kQueuesPerDevice;
  }
  static std::size_t kind_of(std::size_t queue) {
    return kOneDevice ? queue : queue % kQueuesPerDevice;
  }

  [[nodiscard]] bool needs_met(std::size_t queue, const QueuedStep& step) const;
  bool end_step(std::size_t queue);
  void end_steps();
  void find_ready();
  void start_ready();
  void start_in_order();
  void start_step(std::size_t queue);
  [[nodiscard]] std::int64_t next_event() const;
  void record_gap(std::size_t queue, const QueuedStep& step);
  [[nodiscard]] std::optional<StepId> releaser(std::size_t device) const;
  void finish();
  [[nodiscard]] Blocked blocked() const;

  const Plan& plan_;
  const CostTable& costs_;
  Memory memory_;
  Link link_;
  Timeline& timeline_;
  StallRecorder stalls_;
  PerQueue<kOneDevice, Lane> lanes_{};
  PerQueue<kOneDevice, std::int64_t> events_{};     ///< next event; kNoEvent: idle
  PerQueue<kOneDevice, std::int32_t> done_{};       ///< steps that have ended
  PerQueue<kOneDevice, std::size_t> candidates_{};  ///< queues whose head is ready
  std::size_t candidate_count_ = 0;
  std::int64_t now_ = 0;
  std::int64_t round_ = 0;
  std::int64_t busy_ = 0;
};

template <class Memory, class Link, bool kOneDevice>
Run<Memory, Link, kOneDevice>::Run(const SimulationInput& input, Memory memory, Link link,
                                   Timeline& timeline)
    : plan_(input.plan),
      costs_(input.costs),
      memory_(memory),
      link_(link),
      timeline_(timeline),
      stalls_(input.plan, timeline) {
  if constexpr (!kOneDevice) {
    lanes_.resize(plan_.queued.size());
    events_.resize(plan_.queued.size());
    done_.resize(plan_.queued.size());
    candidates_.resize(plan_.queued.size());
  }
  for (std::size_t queue = 0; queue < queues(); ++queue) {
    const auto& steps = plan_.queued[queue];
    lanes_[queue].next = steps.data();
    lanes_[queue].end = steps.data() + steps.size();
    events_[queue] = kNoEvent;
  }
  timeline_.spans.resize(plan_.steps.size());
  timeline_.stalls.clear();
  timeline_.stall_totals = {};
}

template <class Memory, class Link, bool kOneDevice>
bool Run<Memory, Link, kOneDevice>::needs_met(std::size_t queue, const QueuedStep& step) const {
  const std::size_t first = queue - kind_of(queue);
  const bool met = (done_[first] >= step.needs[0]) & (done_[first + 1] >= step.needs[1]) &
                   (done_[first + 2] >= step.needs[2]);
  if constexpr (!kOneDevice) {
    if (met && step.remote_needs) {
      const auto row = plan_.remote_needs[step.step];
      return std::all_of(row.begin(), row.end(), [&](const QueueNeed& need) {
        return done_[static_cast<std::size_t>(need.queue)] >= need.count;
      });
    }
  }
  return met;
}

template <class Memory, class Link, bool kOneDevice>
std::int64_t Run<Memory, Link, kOneDevice>::next_event() const {
  if constexpr (kOneDevice) {
    return std::min(std::min(events_[0], events_[1]), events_[2]);
  } else {
    return *std::min_element(events_.begin(), events_.end());
  }
}

template <class Memory, class Link, bool kOneDevice>
bool Run<Memory, Link, kOneDevice>::end_step(std::size_t queue) {
  if (kind_of(queue) != kCompute && !link_.arrived(queue, now_, events_[queue])) return false;
  Lane& lane = lanes_[queue];
  const QueuedStep& step = *lane.next++;
  timeline_.spans[step.step.at()].end = Duration(now_);
  memory_.release(device_of(queue), step);
  events_[queue] = kNoEvent;
  lane.last_end = now_;
  lane.ended_round = round_;
  ++done_[queue];
  return true;
}

template <class Memory, class Link, bool kOneDevice>
void Run<Memory, Link, kOneDevice>::end_steps() {
  for (std::size_t queue = 0; queue < queues(); ++queue) {
    if (events_[queue] == now_) end_step(queue);
  }
}

template <class Memory, class Link, bool kOneDevice>
void Run<Memory, Link, kOneDevice>::find_ready() {
  candidate_count_ = 0;
  for (std::size_t queue = 0; queue < queues(); ++queue) {
    Lane& lane = lanes_[queue];
    const bool idle = events_[queue] == kNoEvent && lane.next != lane.end;
    if (!idle || !needs_met(queue, *lane.next)) continue;
    if (lane.ready == kNoEvent) lane.ready = now_;
    candidates_[candidate_count_++] = queue;
  }
}

template <class Memory, class Link, bool kOneDevice>
void Run<Memory, Link, kOneDevice>::start_step(std::size_t queue) {
  Lane& lane = lanes_[queue];
  const QueuedStep& step = *lane.next;
  timeline_.spans[step.step.at()].start = Duration(now_);
  const auto cost = static_cast<std::size_t>(step.cost);
  switch (kind_of(queue)) {
    case kCompute: {
      const std::int64_t time = costs_.alternatives[cost].time.count();
      events_[queue] = now_ + time;
      if (now_ != lane.last_end) record_gap(queue, step);
      if (step.recompute) {
        const auto before =
            lane.next + 1 == lane.end ? std::nullopt : std::optional((lane.next + 1)->step);
        stalls_.recompute(static_cast<int>(device_of(queue)), step.step, before, now_, now_ + time);
      } else if (device_of(queue) == 0) {
        busy_ += time;
      }
      break;
    }
    case kToFar:
      events_[queue] = link_.start(Direction::kToFar, queue, cost, now_);
      break;
    default:
      events_[queue] = link_.start(Direction::kToNear, queue, cost, now_);
      break;
  }
  lane.ready = kNoEvent;
}

template <class Memory, class Link, bool kOneDevice>
void Run<Memory, Link, kOneDevice>::start_ready() {
  if (!Memory::kOrderMatters && candidate_count_ == 1) {
    const std::size_t queue = candidates_[0];
    if (memory_.take(device_of(queue), *lanes_[queue].next)) start_step(queue);
    return;
  }
  start_in_order();
}

template <class Memory, class Link, bool kOneDevice>
void Run<Memory, Link, kOneDevice>::start_in_order() {
  const auto begin = candidates_.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(candidate_count_);
  const auto earlier = [&](std::size_t a, std::size_t b) {
    const Lane& first = lanes_[a];
    const Lane& second = lanes_[b];
    if (first.ready != second.ready) return first.ready < second.ready;
    return first.next->step < second.next->step;
  };
  for (auto place = begin; place != end; ++place) {
    std::iter_swap(place, std::min_element(place, end, earlier));
    const std::size_t queue = *place;
    if (memory_.take(device_of(queue), *lanes_[queue].next)) start_step(queue);
  }
}

/// The step whose end made memory of `device` fit in this round: a copy out if there is one.
template <class Memory, class Link, bool kOneDevice>
std::optional<StepId> Run<Memory, Link, kOneDevice>::releaser(std::size_t device) const {
  std::optional<StepId> found;
  for (std::size_t queue = 0; queue < queues(); ++queue) {
    if (lanes_[queue].ended_round != round_) continue;
    const QueuedStep& step = *(lanes_[queue].next - 1);
    if (!memory_.has_freed(device, step)) continue;
    if (kind_of(queue) == kToFar) return step.step;
    if (!found || step.step < *found) found = step.step;
  }
  return found;
}

template <class Memory, class Link, bool kOneDevice>
void Run<Memory, Link, kOneDevice>::record_gap(std::size_t queue, const QueuedStep& step) {
  const Lane& lane = lanes_[queue];
  const std::size_t device = device_of(queue);
  stalls_.gap({.step = step,
               .device = static_cast<int>(device),
               .from = lane.last_end,
               .ready = lane.ready,
               .start = now_,
               .releaser = now_ > lane.ready ? releaser(device) : std::nullopt});
}

template <class Memory, class Link, bool kOneDevice>
Blocked Run<Memory, Link, kOneDevice>::blocked() const {
  const Lane* head = nullptr;
  std::size_t device = 0;
  for (std::size_t queue = 0; queue < queues(); ++queue) {
    const Lane& lane = lanes_[queue];
    if (lane.next == lane.end || lane.ready == kNoEvent) continue;
    const bool first = head == nullptr || std::pair(lane.ready, lane.next->step) <
                                              std::pair(head->ready, head->next->step);
    if (!first) continue;
    head = &lane;
    device = device_of(queue);
  }
  OOC_CHECK(head != nullptr, "a plan does not wait on itself");
  Blocked result{.step = head->next->step,
                 .wanted = head->next->acquired,
                 .free = Bytes(memory_.free(device)),
                 .largest_hole = Bytes(memory_.largest_hole(device)),
                 .holders = {}};
  const auto ended = [&](StepId id) {
    const Step& step = plan_.steps[id.at()];
    const auto queue = static_cast<std::size_t>(queue_index(step.device, step.kind));
    return plan_.positions[id.at()] < done_[queue];
  };
  const auto add_if_held = [&](BlockId id) {
    const auto releasers = plan_.releasers[id];
    const bool freed = !releasers.empty() && std::all_of(releasers.begin(), releasers.end(), ended);
    const bool here = static_cast<std::size_t>(plan_.blocks[id.at()].device) == device;
    if (here && !freed) result.holders.push_back(id);
  };
  for (const BlockId id : plan_.initial_blocks) add_if_held(id);
  for (std::size_t step = 0; step < plan_.steps.size(); ++step) {
    const auto id = make_id<StepId>(step);
    if (!ended(id)) continue;  // nothing is running: what has not ended has not started
    for (const BlockId block : plan_.acquires[id]) add_if_held(block);
  }
  std::sort(result.holders.begin(), result.holders.end(), [&](BlockId a, BlockId b) {
    const Bytes first = plan_.blocks[a.at()].bytes;
    const Bytes second = plan_.blocks[b.at()].bytes;
    return first != second ? first > second : a < b;
  });
  return result;
}

template <class Memory, class Link, bool kOneDevice>
void Run<Memory, Link, kOneDevice>::finish() {
  for (std::size_t queue = kCompute; queue < queues(); queue += kQueuesPerDevice) {
    stalls_.tail(static_cast<int>(device_of(queue)), lanes_[queue].last_end, now_);
  }
  timeline_.iteration_time = Duration(now_);
  timeline_.busy = Duration(busy_);
  timeline_.peak_near = plan_.static_bytes + Bytes(memory_.peak());
}

template <class Memory, class Link, bool kOneDevice>
std::optional<Blocked> Run<Memory, Link, kOneDevice>::run() {
  if (!memory_.place_initial()) {
    Bytes wanted;
    for (const BlockId id : plan_.initial_blocks) wanted += plan_.blocks[id.at()].bytes;
    return Blocked{.step = StepId{0},
                   .wanted = wanted,
                   .free = Bytes(memory_.free(0)),
                   .largest_hole = Bytes(memory_.largest_hole(0)),
                   .holders = {}};
  }
  for (;;) {
    find_ready();
    start_ready();
    link_.settle(now_, events_);
    const std::int64_t next = next_event();
    if (next == kNoEvent) break;
    if (next > kLastInstant) {
      throw SpecError({.file = "",
                       .place = "iteration time",
                       .found = "more than 146 years",
                       .expected = "less than 2^62 ns",
                       .hint = ""});
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

/// Nothing can contend: one device, and no copy ever meets one of the other direction at a price.
bool link_is_private(const Plan& plan, const TransferCosts& transfers) {
  if (plan.devices > 1) return false;
  return transfers.duplex == kOne || plan.queued[kToFar].empty() ||
         plan.queued[static_cast<std::size_t>(StepKind::kToNear)].empty();
}

template <class Link, class Memory>
std::optional<Blocked> run_with(const SimulationInput& input, const Memory& memory,
                                SimulationBuffers& buffers) {
  const Link link(input.costs, input.plan.devices, buffers.link);
  if constexpr (std::is_same_v<Link, SharedLink>) {
    if (input.plan.devices > 1) {
      return Run<Memory, Link, false>(input, memory, link, buffers.timeline).run();
    }
  }
  return Run<Memory, Link, true>(input, memory, link, buffers.timeline).run();
}

template <class Memory>
std::optional<Blocked> run_on(const SimulationInput& input, const Memory& memory,
                              SimulationBuffers& buffers) {
  return link_is_private(input.plan, input.costs.transfers)
             ? run_with<PrivateLink>(input, memory, buffers)
             : run_with<SharedLink>(input, memory, buffers);
}

}  // namespace

std::optional<Blocked> simulate(const SimulationInput& input, SimulationBuffers& buffers) {
  const auto with_addresses = [&](Fit fit) {
    return run_on(input, AddressedMemory(input.plan, input.budget, fit, buffers.memory), buffers);
  };
  switch (input.allocator) {
    case Allocator::kIdeal:
      return run_on(input, IdealMemory(input.plan, input.budget, buffers.memory), buffers);
    case Allocator::kFirstFit:
      return with_addresses(Fit::kFirst);
    case Allocator::kBestFit:
      return with_addresses(Fit::kBest);
  }
  OOC_CHECK(false, "an allocator is one of the named ones");
  return std::nullopt;
}

Outcome simulate(const SimulationInput& input) {
  SimulationBuffers buffers;
  if (auto stopped = simulate(input, buffers)) return *std::move(stopped);
  return std::move(buffers.timeline);
}

}  // namespace ooc
