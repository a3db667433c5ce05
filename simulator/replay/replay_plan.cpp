// Lines in the timeline's order of starts, in which every wait is for an earlier line.
#include "simulator/replay/replay_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>

#include "model/base/errors.hpp"
#include "simulator/plan/plan_text.hpp"

namespace ooc {

MemoryOrder order_memory(const Plan& plan, const Timeline& timeline, Bytes budget) {
  OOC_CHECK(timeline.events.size() == 2 * plan.steps.size(), "the timeline is this plan's");
  const auto size_of = [&](BlockId id) { return plan.blocks[id.at()].bytes; };
  std::vector<std::size_t> releasers_left(plan.blocks.size());
  for (std::size_t block = 0; block < plan.blocks.size(); ++block) {
    releasers_left[block] = plan.releasers[make_id<BlockId>(block)].size();
  }
  MemoryOrder order;
  order.needed_frees.resize(plan.steps.size(), 0);
  Bytes held = plan.static_bytes;
  for (const BlockId block : plan.initial_blocks) held += size_of(block);
  order.peak = held;
  Bytes bound = held;  // what is held when only the frees that are waited for have happened
  std::size_t needed = 0;
  for (const auto& [step, ends] : timeline.events) {
    if (ends) {
      for (const BlockId block : plan.releases[step]) {
        if (--releasers_left[block.at()] > 0) continue;
        order.frees.push_back(block);
        held -= size_of(block);
      }
      continue;
    }
    order.starts.push_back(step);
    if (plan.acquires[step].empty()) continue;
    for (const BlockId block : plan.acquires[step]) {
      held += size_of(block);
      bound += size_of(block);
    }
    order.peak = std::max(order.peak, held);
    while (bound > budget) bound -= size_of(order.frees.at(needed++));
    order.needed_frees[step.at()] = needed;
  }
  return order;
}

// One pass along the timeline's order, in which everything stands behind what it waits for.

namespace {

constexpr std::size_t kQueues = 3;

void raise(QueueCounts& counts, const QueueCounts& others) {
  for (std::size_t queue = 0; queue < kQueues; ++queue) {
    counts[queue] = std::max(counts[queue], others[queue]);
  }
}

/// Everything that has ended when the first `count` steps of a queue have.
QueueCounts after(const Plan& plan, const StepWaits& waits, std::size_t queue, std::int32_t count) {
  QueueCounts counts{};
  if (count == 0) return counts;
  const StepId last = plan.queues[queue][static_cast<std::size_t>(count) - 1];
  counts = waits.ended[last.at()];
  counts[queue] = count;
  return counts;
}

/// By block: what must have ended for it to be free; beyond any queue if it never is.
std::vector<QueueCounts> counts_until_free(const Plan& plan) {
  constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max();
  std::vector<QueueCounts> counts(plan.blocks.size());
  for (std::size_t block = 0; block < counts.size(); ++block) {
    const auto releasers = plan.releasers[make_id<BlockId>(block)];
    if (releasers.empty()) counts[block] = {kNever, kNever, kNever};
    for (const StepId step : releasers) {
      std::int32_t& count = counts[block][queue_index(plan.steps[step.at()].kind)];
      count = std::max(count, plan.positions[step.at()] + 1);
    }
  }
  return counts;
}

/// FNV-1a, cut to a number above 0.
long long fingerprint(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return static_cast<long long>(hash >> 1U) | 1;
}

bool has_products(const LayerModel& model) {
  return model.convolution || model.mirrored_convolution || model.products || model.recurrent ||
         model.custom;
}

}  // namespace

StepWaits find_step_waits(const Plan& plan, const MemoryOrder& order) {
  const std::vector<QueueCounts> free_when = counts_until_free(plan);
  StepWaits result;
  result.waits.resize(plan.steps.size());
  result.ended.resize(plan.steps.size());
  QueueCounts memory{};  // for the first `frees` frees
  std::size_t frees = 0;
  for (const StepId step : order.starts) {
    const std::size_t own = queue_index(plan.steps[step.at()].kind);
    const std::int32_t position = plan.positions[step.at()];
    QueueCounts needs;
    std::copy_n(plan.queued[own][static_cast<std::size_t>(position)].needs.begin(), kQueues,
                needs.begin());
    if (const std::size_t needed = order.needed_frees[step.at()]; needed > 0) {
      // Counted in the order of starts, so it never falls.
      for (; frees < needed; ++frees) raise(memory, free_when[order.frees[frees].at()]);
      raise(needs, memory);
    }
    OOC_CHECK(needs[own] <= position, "no step waits for a later one of its queue");

    const QueueCounts by_queue = after(plan, result, own, position);
    std::array<QueueCounts, kQueues> by_wait;
    for (std::size_t queue = 0; queue < kQueues; ++queue) {
      by_wait[queue] = after(plan, result, queue, needs[queue]);
    }
    for (std::size_t queue = 0; queue < kQueues; ++queue) {
      if (queue == own || needs[queue] <= by_queue[queue]) continue;
      const std::size_t other = kQueues - own - queue;
      if (by_wait[other][queue] >= needs[queue]) continue;
      const auto last = static_cast<std::size_t>(needs[queue]) - 1;
      result.waits[step.at()].push_back(plan.queues[queue][last].index);
    }
    std::ranges::sort(result.waits[step.at()]);
    QueueCounts& ended = result.ended[step.at()];
    ended = by_queue;
    for (const QueueCounts& counts : by_wait) raise(ended, counts);
  }
  return result;
}

ReplayPlan make_replay_plan(const Plan& plan, const Timeline& timeline, Bytes budget) {
  MemoryOrder order = order_memory(plan, timeline, budget);
  StepWaits waits = find_step_waits(plan, order);
  return {.order = std::move(order.starts), .waits = std::move(waits.waits)};
}

ReplayText write_replay_plan(const ReplayInputs& in, const ReplayRun& run) {
  std::vector<std::size_t> line_of(in.plan.steps.size());
  for (std::size_t i = 0; i < in.replay.order.size(); ++i) line_of[in.replay.order[i].at()] = i;
  std::string steps;
  const auto add = [&](auto format, const auto&... values) {
    fmt::format_to(std::back_inserter(steps), fmt::runtime(format), values...);
  };
  for (const StepId id : in.replay.order) {
    const Step& step = in.plan.steps[id.at()];
    const Span& span = in.timeline.spans[id.at()];
    if (step.kind == StepKind::kCompute) {
      const Layer& layer =
          in.graph.network
              ->layers[in.graph.tasks[static_cast<std::size_t>(step.object)].layer.at()];
      const bool busy = run.mode == ReplayMode::kBusy && !has_products(*layer.model);
      add("step {} {}", busy ? "busy" : "spin", (span.end - span.start).count());
    } else {
      const auto tensor = static_cast<std::size_t>(step.object);
      add("step {} {}", queue_name(step.kind), in.costs.tensor_bytes[tensor].count());
    }
    std::vector<std::size_t> waits;
    for (const std::int32_t wait : in.replay.waits[id.at()]) {
      waits.push_back(line_of[static_cast<std::size_t>(wait)]);
    }
    add(waits.empty() ? " -\n" : " {}\n", fmt::join(waits, ","));
  }
  const long long id = fingerprint(steps);
  return {.id = id,
          .text = fmt::format("plan id={} steps={} iterations={} warmup={} max_ms={}\n", id,
                              in.plan.steps.size(), run.iterations, run.warmup, run.max_ms) +
                  steps};
}

}  // namespace ooc
