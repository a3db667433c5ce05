// The engine's rounds once more, with the times given instead of calculated.
#include "simulator/replay/memory_order.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

class Rounds {
 public:
  Rounds(const Plan& plan, const Timeline& timeline, Bytes budget)
      : plan_(plan), timeline_(timeline), budget_(budget), releasers_left_(plan.blocks.size()) {
    for (std::size_t block = 0; block < plan.blocks.size(); ++block) {
      releasers_left_[block] = plan.releasers[make_id<BlockId>(block)].size();
    }
    held_ = plan.static_bytes;
    for (const BlockId block : plan.initial_blocks) held_ += size_of(block);
    initial_ = held_;
    raise_peak();
  }

  MemoryOrder run() && {
    do {
      start_steps();
    } while (go_to_next_end());
    OOC_CHECK(order_.starts.size() == plan_.steps.size(), "the timeline is this plan's");
    count_needed_frees();
    return std::move(order_);
  }

 private:
  struct Lane {
    std::size_t next = 0;  ///< on its queue: running, or the head
    bool running = false;
    std::optional<Duration> ready;
  };

  [[nodiscard]] const QueuedStep* head(std::size_t queue) const {
    const auto& steps = plan_.queued[queue];
    return lanes_[queue].next < steps.size() ? &steps[lanes_[queue].next] : nullptr;
  }
  [[nodiscard]] const Span& span(const QueuedStep& step) const {
    return timeline_.spans[step.step.at()];
  }
  [[nodiscard]] bool waits_ended(const QueuedStep& step) const {
    for (std::size_t queue = 0; queue < lanes_.size(); ++queue) {
      if (static_cast<std::int64_t>(lanes_[queue].next) < step.needs[queue]) return false;
    }
    return true;
  }

  void start_steps() {
    std::vector<std::size_t> heads;
    for (std::size_t queue = 0; queue < lanes_.size(); ++queue) {
      const QueuedStep* step = head(queue);
      if (step == nullptr || lanes_[queue].running || !waits_ended(*step)) continue;
      if (!lanes_[queue].ready) lanes_[queue].ready = now_;
      if (span(*step).start == now_) heads.push_back(queue);
    }
    std::sort(heads.begin(), heads.end(), [&](std::size_t a, std::size_t b) {
      return std::tuple(*lanes_[a].ready, head(a)->step) <
             std::tuple(*lanes_[b].ready, head(b)->step);
    });
    for (const std::size_t queue : heads) {
      if (held_ + head(queue)->acquired <= budget_) start(queue);
    }
  }

  void start(std::size_t queue) {
    const QueuedStep& step = *head(queue);
    lanes_[queue].running = true;
    lanes_[queue].ready.reset();
    order_.starts.push_back(step.step);
    for (const BlockId block : plan_.acquires[step.step]) held_ += size_of(block);
    raise_peak();
  }

  [[nodiscard]] Bytes size_of(BlockId id) const { return plan_.blocks[id.at()].bytes; }

  void raise_peak() { order_.peak = std::max(order_.peak, held_); }

  /// The fewest that make room for a step and all before it. They never get fewer.
  void count_needed_frees() {
    order_.needed_frees.resize(plan_.steps.size(), 0);
    Bytes held = initial_;
    std::size_t needed = 0;
    for (const StepId step : order_.starts) {
      if (plan_.acquires[step].empty()) continue;
      for (const BlockId block : plan_.acquires[step]) held += size_of(block);
      while (held > budget_) {
        held -= size_of(order_.frees[needed++]);
      }
      order_.needed_frees[step.at()] = needed;
    }
  }

  void end(std::size_t queue) {
    const StepId step = head(queue)->step;
    lanes_[queue].running = false;
    ++lanes_[queue].next;
    for (const BlockId block : plan_.releases[step]) {
      if (--releasers_left_[block.at()] > 0) continue;
      order_.frees.push_back(block);
      held_ -= size_of(block);
    }
  }

  /// Moves to the next instant at which something ends, and ends it. False: nothing is running.
  bool go_to_next_end() {
    std::optional<Duration> next;
    for (std::size_t queue = 0; queue < lanes_.size(); ++queue) {
      if (!lanes_[queue].running) continue;
      const Duration end = span(*head(queue)).end;
      if (!next || end < *next) next = end;
    }
    if (!next) return false;
    now_ = *next;
    for (std::size_t queue = 0; queue < lanes_.size(); ++queue) {
      if (lanes_[queue].running && span(*head(queue)).end == now_) end(queue);
    }
    return true;
  }

  const Plan& plan_;
  const Timeline& timeline_;
  Bytes budget_;
  std::array<Lane, 3> lanes_{};  ///< by StepKind
  std::vector<std::size_t> releasers_left_;
  MemoryOrder order_;
  Duration now_;
  Bytes held_;
  Bytes initial_;
};

}  // namespace

MemoryOrder order_memory(const Plan& plan, const Timeline& timeline, Bytes budget) {
  OOC_CHECK(plan.devices == 1, "a device has its own order");
  return Rounds(plan, timeline, budget).run();
}

// One pass along the timeline's order, in which everything stands behind what it waits for.

namespace {

constexpr std::size_t kQueues = 3;

void raise(QueueCounts& counts, const QueueCounts& others) {
  for (std::size_t queue = 0; queue < kQueues; ++queue) {
    counts[queue] = std::max(counts[queue], others[queue]);
  }
}

std::size_t queue_of(const Plan& plan, StepId step) {
  return static_cast<std::size_t>(plan.steps[step.at()].kind);
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
      std::int32_t& count = counts[block][queue_of(plan, step)];
      count = std::max(count, plan.positions[step.at()] + 1);
    }
  }
  return counts;
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
    const std::size_t own = queue_of(plan, step);
    const std::int32_t position = plan.positions[step.at()];
    QueueCounts needs = plan.queued[own][static_cast<std::size_t>(position)].needs;
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
    std::sort(result.waits[step.at()].begin(), result.waits[step.at()].end());
    QueueCounts& ended = result.ended[step.at()];
    ended = by_queue;
    for (const QueueCounts& counts : by_wait) raise(ended, counts);
  }
  return result;
}

}  // namespace ooc
