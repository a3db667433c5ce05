// Chooses the event loop for a run, the one that knows most: which memory, which link, whether the host matters, whether
// events are recorded. Where the host issues at once, its loop takes longer for the same result.
#include "simulator/engine/simulate.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "simulator/engine/caching_memory.hpp"
#include "simulator/engine/event_loop.hpp"
#include "simulator/plan/wait_as_framework.hpp"

namespace ooc {

// The event loop keeps sums, not blocks; which blocks are held is worked out here, once, from the steps that have ended.
Blocked event_loop::describe(const StoppedRun& run) {
  const Plan& plan = run.plan;
  Blocked result{.step = run.head.step,
                 .wanted = run.head.acquired,
                 .free = Bytes(run.free),
                 .largest_hole = Bytes(run.largest_hole),
                 .holders = {}};
  const auto ended = [&](StepId id) {
    const Step& step = plan.steps[id.at()];
    return plan.positions[id.at()] < run.done[queue_index(step.kind)];
  };
  const auto add_if_held = [&](BlockId id) {
    const auto releasers = plan.releasers[id];
    const bool freed = !releasers.empty() && std::all_of(releasers.begin(), releasers.end(), ended);
    if (!freed) result.holders.push_back(id);
  };
  for (const BlockId id : plan.initial_blocks) add_if_held(id);
  for (std::size_t step = 0; step < plan.steps.size(); ++step) {
    const auto id = make_id<StepId>(step);
    if (!ended(id)) continue;  // nothing is running: what has not ended has not started
    for (const BlockId block : plan.acquires[id]) add_if_held(block);
  }
  std::sort(result.holders.begin(), result.holders.end(), [&](BlockId a, BlockId b) {
    const Bytes first = plan.blocks[a.at()].bytes;
    const Bytes second = plan.blocks[b.at()].bytes;
    return first != second ? first > second : a < b;
  });
  return result;
}

namespace {

Blocked initial_blocks_too_large(const Plan& plan, std::int64_t room) {
  Bytes wanted;
  for (const BlockId id : plan.initial_blocks) wanted += plan.blocks[id.at()].bytes;
  return {.step = StepId{0},
          .wanted = wanted,
          .free = Bytes(room),
          .largest_hole = Bytes(room),
          .holders = {}};
}

/// Nothing can contend: no copy ever meets one of the other direction at a price.
bool link_is_private(const Plan& plan, const TransferCosts& transfers) {
  return transfers.duplex.full() || plan.queue(StepKind::kToFar).empty() ||
         plan.queue(StepKind::kToNear).empty();
}

/// By step: when the host has issued it and all compute steps before it; far updates say it themselves.
std::span<const std::int64_t> issue_instants(const SimulationInput& input,
                                             std::vector<std::int64_t>& instants) {
  const Plan& plan = input.plan;
  instants.resize(plan.steps.size());
  for (const StepKind kind : {StepKind::kCompute, StepKind::kFarCompute}) {
    std::int64_t now = 0;
    for (const QueuedStep& step : plan.queued[queue_index(kind)]) {
      const std::int64_t issue = input.costs[AlternativeId{step.cost}].issue.count();
      now = kind == StepKind::kFarCompute ? std::max(now, issue) : now + issue;
      instants[step.step.at()] = now;
    }
  }
  return instants;
}

template <class Link, bool kHost, class Memory>
std::optional<Blocked> run_loop(const SimulationInput& input, Memory memory,
                                SimulationBuffers& buffers) {
  const Plan& plan = input.plan;
  Timeline& timeline = buffers.timeline;
  timeline.spans.resize(plan.steps.size());
  timeline.stalls.clear();
  timeline.stall_totals = {};
  timeline.events.resize(input.records ? plan.steps.size() * 2 : 0);
  if (!memory.place_initial()) {
    const Bytes room = input.budget - plan.static_bytes;
    return initial_blocks_too_large(plan, room.count() > 0 ? room.count() : 0);
  }
  Link link(input.costs);
  StallRecorder stalls(plan, timeline);
  event_loop::Setting setting{plan, input.costs, timeline, stalls};
  if constexpr (kHost) {
    setting.issued = issue_instants(input, buffers.issued);
    list_pinning(plan, input.costs.transfers.pinning, buffers.pinning);
    setting.pinning = buffers.pinning;
  }
  const auto run = [&](auto observer) {
    return event_loop::Run<Memory, Link, decltype(observer), kHost>(setting, memory, link, observer)
        .run();
  };
  return input.records ? run(event_loop::EventRecorder(timeline.events.data()))
                       : run(event_loop::NoObserver{});
}

bool host_matters(const SimulationInput& input) {
  return input.plan.has_far_compute() || input.costs.issued_by_host() ||
         input.costs.transfers.pinning > Duration(0);
}

}  // namespace

std::optional<Blocked> simulate(const SimulationInput& input, SimulationBuffers& buffers) {
  if (input.allocator == Allocator::kIdeal) {  // what sweeps run most
    const IdealMemory memory(input.plan, input.budget, buffers.memory);
    if (host_matters(input)) return run_loop<SharedLink, true>(input, memory, buffers);
    return link_is_private(input.plan, input.costs.transfers)
               ? run_loop<PrivateLink, false>(input, memory, buffers)
               : run_loop<SharedLink, false>(input, memory, buffers);
  }
  if (input.allocator == Allocator::kCaching) {
    const CachingMemory memory(input.plan, input.budget, buffers.memory, input.costs);
    auto blocked = run_loop<SharedLink, true>(input, memory, buffers);
    if (blocked || input.costs.first_states.empty()) return blocked;
    return run_loop<SharedLink, true>(input, memory.second(), buffers);
  }
  const Fit fit = input.allocator == Allocator::kFirstFit ? Fit::kFirst : Fit::kBest;
  const AddressedMemory memory(input.plan, input.budget, fit, buffers.memory);
  return run_loop<SharedLink, true>(input, memory, buffers);
}

Outcome simulate(const SimulationInput& input) {
  SimulationBuffers buffers;
  SimulationInput recording = input;
  recording.records = true;
  if (auto stopped = simulate(recording, buffers)) return *std::move(stopped);
  return std::move(buffers.timeline);
}

}  // namespace ooc
