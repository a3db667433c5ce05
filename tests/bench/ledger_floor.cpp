// Chronological three-way minimum with a memory ledger.
#include "tests/bench/ledger_floor.hpp"

#include <algorithm>
#include <limits>

namespace ooc::bench {

namespace {

constexpr std::int64_t kIdle = std::numeric_limits<std::int64_t>::max();

}  // namespace

LedgerFloor::LedgerFloor(const test::ReferenceDurations& durations, std::int64_t budget)
    : budget_(budget) {
  const std::size_t layers = durations.forward.size();
  std::vector<std::int32_t> out(layers), backward(layers);
  const auto add = [&](std::size_t queue, std::int64_t time, std::int32_t wait, std::int32_t other,
                       std::int64_t takes, std::int64_t gives) {
    const auto step = static_cast<std::int32_t>(durations_.size());
    queues_[queue].steps.push_back(step);
    durations_.push_back(time);
    first_wait_.push_back(wait);
    second_wait_.push_back(other);
    takes_.push_back(takes);
    gives_.push_back(gives);
    return step;
  };
  std::int32_t forward = -1;
  for (std::size_t i = 0; i < layers; ++i) {
    forward = add(0, durations.forward[i], i >= 4 ? out[i - 4] : -1, -1, test::kReferenceBlock, 0);
    out[i] = add(1, durations.out[i], forward, -1, 0, test::kReferenceBlock);
  }
  for (std::size_t i = layers; i-- > 0;) {
    const std::int32_t other = i + 2 < layers ? backward[i + 2] : forward;
    const auto in = add(2, durations.in[i], out[i], other, test::kReferenceBlock, 0);
    backward[i] = add(0, durations.backward[i], in, -1, 0, test::kReferenceBlock);
  }
  ends_.resize(durations_.size());
}

std::int64_t LedgerFloor::run() {
  std::fill(ends_.begin(), ends_.end(), kIdle);
  std::size_t next[3] = {0, 0, 0};
  std::int64_t event[3] = {kIdle, kIdle, kIdle};
  std::int64_t now = 0, used = 0;
  for (;;) {
    for (std::size_t q = 0; q < 3; ++q) {
      if (event[q] != kIdle || next[q] == queues_[q].steps.size()) continue;
      const auto step = static_cast<std::size_t>(queues_[q].steps[next[q]]);
      const std::int32_t first = first_wait_[step];
      const std::int32_t second = second_wait_[step];
      if (first >= 0 && ends_[static_cast<std::size_t>(first)] > now) continue;
      if (second >= 0 && ends_[static_cast<std::size_t>(second)] > now) continue;
      if (used + takes_[step] > budget_) continue;
      used += takes_[step];
      event[q] = now + durations_[step];
    }
    const std::int64_t earliest = std::min(event[0], std::min(event[1], event[2]));
    if (earliest == kIdle) return now;
    now = earliest;
    for (std::size_t q = 0; q < 3; ++q) {
      if (event[q] != now) continue;
      const auto step = static_cast<std::size_t>(queues_[q].steps[next[q]++]);
      ends_[step] = now;
      used -= gives_[step];
      event[q] = kIdle;
    }
  }
}

}  // namespace ooc::bench
