// Chooses the event loop for a run: which memory, which link, one device or several, whether events are recorded.
#include "simulator/engine/simulate.hpp"

#include <span>
#include <utility>

#include "simulator/engine/caching_memory.hpp"
#include "simulator/engine/event_loop.hpp"
#include "simulator/plan/wait_as_framework.hpp"

namespace ooc {

namespace {

/// Nothing can contend: one device, and no copy ever meets one of the other direction at a price.
bool link_is_private(const Plan& plan, const TransferCosts& transfers) {
  if (plan.devices > 1) return false;
  const auto no_copies = [&](StepKind kind) {
    return plan.queued[static_cast<std::size_t>(queue_index(0, kind))].empty();
  };
  return transfers.duplex.full() || no_copies(StepKind::kToFar) || no_copies(StepKind::kToNear);
}

/// By step: when its device's host has issued it and all compute steps before it.
std::span<const std::int64_t> issue_instants(const SimulationInput& input,
                                             std::vector<std::int64_t>& instants) {
  const Plan& plan = input.plan;
  instants.resize(plan.steps.size());
  for (std::size_t queue = event_loop::kComputeQueue; queue < plan.queued.size();
       queue += event_loop::kQueuesPerDevice) {
    std::int64_t now = 0;
    for (const QueuedStep& step : plan.queued[queue]) {
      now += input.costs[AlternativeId{step.cost}].issue.count();
      instants[step.step.at()] = now;
    }
  }
  return instants;
}

template <class Link, bool kOneDevice, bool kHost, class Memory>
std::optional<Blocked> run_loop(const SimulationInput& input, Memory& memory,
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
  Link link(input.costs, plan.devices, buffers.link);
  StallRecorder stalls(plan, timeline);
  event_loop::Setting setting{plan, input.costs, timeline, stalls};
  if constexpr (kHost) {
    setting.issued = issue_instants(input, buffers.issued);
    list_pinning(plan, input.costs.transfers.pinning, buffers.pinning);
    setting.pinning = buffers.pinning;
  }
  const auto run = [&](auto observer) {
    return event_loop::Run<Memory, Link, decltype(observer), kOneDevice, kHost>(setting, memory,
                                                                                link, observer)
        .run();
  };
  return input.records ? run(event_loop::EventRecorder(timeline.events.data()))
                       : run(event_loop::NoObserver{});
}

bool host_matters(const CostTable& costs) {
  return costs.issued_by_host() || costs.transfers.pinning > Duration(0);
}

template <class Memory>
std::optional<Blocked> run_one_device(const SimulationInput& input, Memory memory,
                                      SimulationBuffers& buffers) {
  if (host_matters(input.costs)) return run_loop<SharedLink, true, true>(input, memory, buffers);
  return link_is_private(input.plan, input.costs.transfers)
             ? run_loop<PrivateLink, true, false>(input, memory, buffers)
             : run_loop<SharedLink, true, false>(input, memory, buffers);
}

template <class Memory>
std::optional<Blocked> run_devices(const SimulationInput& input, Memory memory,
                                   SimulationBuffers& buffers) {
  return host_matters(input.costs) ? run_loop<SharedLink, false, true>(input, memory, buffers)
                                   : run_loop<SharedLink, false, false>(input, memory, buffers);
}

}  // namespace

std::optional<Blocked> simulate(const SimulationInput& input, SimulationBuffers& buffers) {
  // The loop for one device knows three queues.
  const bool one_device = input.plan.devices == 1 && !input.plan.has_far_compute();
  if (input.allocator == Allocator::kIdeal) {
    return one_device
               ? run_one_device(input, IdealMemory<true>(input.plan, input.budget, buffers.memory),
                                buffers)
               : run_devices(input, IdealMemory<false>(input.plan, input.budget, buffers.memory),
                             buffers);
  }
  if (input.allocator == Allocator::kCaching) {
    const auto run = [&](const CachingMemory& memory) {
      return one_device ? run_one_device(input, memory, buffers)
                        : run_devices(input, memory, buffers);
    };
    const CachingMemory memory(input.plan, input.budget, buffers.memory, input.costs.first_states);
    if (input.costs.first_states.empty()) return run(memory);
    if (auto blocked = run(memory)) return blocked;
    return run(memory.second());
  }
  const Fit fit = input.allocator == Allocator::kFirstFit ? Fit::kFirst : Fit::kBest;
  const AddressedMemory memory(input.plan, input.budget, fit, buffers.memory);
  return one_device ? run_one_device(input, memory, buffers) : run_devices(input, memory, buffers);
}

Outcome simulate(const SimulationInput& input) {
  SimulationBuffers buffers;
  SimulationInput recording = input;
  recording.records = true;
  if (auto stopped = simulate(recording, buffers)) return *std::move(stopped);
  return std::move(buffers.timeline);
}

}  // namespace ooc
