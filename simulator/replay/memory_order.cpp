// The engine's rounds once more, with the times given instead of calculated.
#include "simulator/replay/memory_order.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
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

}  // namespace ooc
