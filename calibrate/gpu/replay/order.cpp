// The order in which steps are queued, and whether there is one at all. An event can only be waited for once it has
// been recorded, so a step must be queued after all that it waits for; and a device that is given
// steps which wait for each other never ends. See replay_program.hpp.
#include <functional>
#include <queue>
#include <string>
#include <vector>

#include "calibrate/gpu/check.hpp"
#include "calibrate/gpu/replay/program.hpp"

namespace ooc::gpu {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
constexpr std::size_t kTold = 8;  // of the steps of a cycle

// What each step waits for: its `waits`, and the step before it on its queue.
std::vector<std::vector<std::size_t>> all_waits(const std::vector<ReplayStep>& steps) {
  std::vector<std::vector<std::size_t>> waits(steps.size());
  std::vector<std::size_t> last(kReplayQueues, kNone);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    waits[i] = steps[i].waits;
    std::size_t& before = last[static_cast<std::size_t>(steps[i].queue)];
    if (before != kNone) waits[i].push_back(before);
    before = i;
  }
  return waits;
}

// From a step that never gets its turn back along one of its waits that does not either, until a step
// comes up again: from there on it is a cycle.
[[noreturn]] void refuse(const std::vector<std::vector<std::size_t>>& waits,
                         const std::vector<std::size_t>& open, std::size_t step) {
  std::vector<std::size_t> seen_at(waits.size(), kNone);
  std::vector<std::size_t> path;
  while (seen_at[step] == kNone) {
    seen_at[step] = path.size();
    path.push_back(step);
    for (const std::size_t wait : waits[step]) {
      if (open[wait] != 0) {
        step = wait;
        break;
      }
    }
  }
  std::string text = "step " + std::to_string(step) + ": waits for itself";
  if (path.size() - seen_at[step] > 1) {
    text += ", by way of";
    const std::size_t first = seen_at[step] + 1;
    for (std::size_t i = first; i < path.size() && i < first + kTold; ++i) {
      text += (i == first ? " step " : ", ") + std::to_string(path[i]);
    }
    if (path.size() > first + kTold) text += " and others";
  }
  throw RequestError{text + " (waits, or the order of its queue)"};
}

}  // namespace

std::vector<std::size_t> replay_order(const std::vector<ReplayStep>& steps) {
  const std::vector<std::vector<std::size_t>> waits = all_waits(steps);
  std::vector<std::vector<std::size_t>> waiters(steps.size());
  std::vector<std::size_t> open(steps.size());  // waits not yet queued
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    open[i] = waits[i].size();
    for (const std::size_t wait : waits[i]) waiters[wait].push_back(i);
    if (open[i] == 0) ready.push(i);
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const std::size_t step = ready.top();
    ready.pop();
    order.push_back(step);
    for (const std::size_t waiter : waiters[step]) {
      if (--open[waiter] == 0) ready.push(waiter);
    }
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (open[i] != 0) refuse(waits, open, i);
  }
  return order;
}

}  // namespace ooc::gpu
