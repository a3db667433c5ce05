// Plain and slow: everything is looked at again at every event.
#include "tests/support/replay_executor.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace ooc::test {

std::vector<Span> run_with_durations(const Plan& plan, const Waits& waits,
                                     const std::vector<Duration>& durations) {
  std::vector<std::optional<Span>> spans(plan.steps.size());
  bool progress = true;
  while (progress) {
    progress = false;
    for (const auto& queue : plan.queues) {
      Duration start;
      for (const StepId step : queue) {
        if (spans[step.at()]) {
          start = spans[step.at()]->end;
          continue;
        }
        bool ready = true;
        for (const std::int32_t wait : waits[step.at()]) {
          const auto& before = spans[static_cast<std::size_t>(wait)];
          if (!before) {
            ready = false;
            break;
          }
          start = std::max(start, before->end);
        }
        if (!ready) break;
        spans[step.at()] = Span{start, start + durations[step.at()]};
        start = spans[step.at()]->end;
        progress = true;
      }
    }
  }
  std::vector<Span> result;
  for (const auto& span : spans) {
    if (span) result.push_back(*span);
  }
  return result;
}

namespace {

class Lottery {
 public:
  Lottery(const Plan& plan, const Waits& waits, Dice& dice)
      : plan_(plan),
        waits_(waits),
        dice_(dice),
        ended_(plan.steps.size(), false),
        releasers_left_(plan.blocks.size()) {
    for (std::size_t block = 0; block < plan.blocks.size(); ++block) {
      releasers_left_[block] = plan.releasers[make_id<BlockId>(block)].size();
    }
    held_ = plan.static_bytes;
    for (const BlockId block : plan.initial_blocks) take(block);
    for (auto& weight : weights_) weight = dice.magnitude(1, 1000);
  }

  RandomRun run() && {
    std::size_t left = plan_.steps.size();
    while (left > 0) {
      const std::optional<std::size_t> lane = draw();
      if (!lane) return std::move(result_);
      if (running_[*lane]) {
        end(*lane);
        --left;
      } else {
        start(*lane);
      }
    }
    result_.finished = true;
    return std::move(result_);
  }

 private:
  [[nodiscard]] StepId head(std::size_t queue) const { return plan_.queues[queue][next_[queue]]; }

  [[nodiscard]] bool possible(std::size_t queue) const {
    if (running_[queue]) return true;
    if (next_[queue] == plan_.queues[queue].size()) return false;
    const auto& waits = waits_[head(queue).at()];
    return std::all_of(waits.begin(), waits.end(),
                       [&](std::int32_t wait) { return ended_[static_cast<std::size_t>(wait)]; });
  }

  std::optional<std::size_t> draw() {
    std::int64_t sum = 0;
    for (std::size_t queue = 0; queue < 3; ++queue) {
      if (possible(queue)) sum += weights_[queue];
    }
    if (sum == 0) return std::nullopt;
    std::int64_t lot = dice_.number(1, sum);
    for (std::size_t queue = 0; queue < 3; ++queue) {
      if (possible(queue) && (lot -= weights_[queue]) <= 0) return queue;
    }
    return std::nullopt;
  }

  void take(BlockId id) {
    held_ += plan_.blocks[id.at()].bytes;
    result_.peak = std::max(result_.peak, held_);
  }

  void start(std::size_t queue) {
    running_[queue] = true;
    for (const BlockId block : plan_.acquires[head(queue)]) take(block);
  }

  void end(std::size_t queue) {
    const StepId step = head(queue);
    running_[queue] = false;
    ended_[step.at()] = true;
    ++next_[queue];
    for (const BlockId block : plan_.releases[step]) {
      if (--releasers_left_[block.at()] > 0) continue;
      held_ -= plan_.blocks[block.at()].bytes;
    }
  }

  const Plan& plan_;
  const Waits& waits_;
  Dice& dice_;
  std::vector<bool> ended_;
  std::vector<std::size_t> releasers_left_;
  std::array<std::size_t, 3> next_{};
  std::array<bool, 3> running_{};
  std::array<std::int64_t, 3> weights_{};
  Bytes held_;
  RandomRun result_;
};

}  // namespace

RandomRun run_in_random_order(const Plan& plan, const Waits& waits, Dice& dice) {
  return Lottery(plan, waits, dice).run();
}

}  // namespace ooc::test
