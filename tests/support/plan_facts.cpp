// Topological order (Kahn), then the clocks along it.
#include "tests/support/plan_facts.hpp"

#include <algorithm>

namespace ooc {

StepOrder::StepOrder(const Plan& plan) : plan_(plan), queues_(plan.queues.size()) {
  sort();
  if (on_cycle_) return;
  clocks_.assign(plan.steps.size() * queues_, 0);
  for (const StepId step : sorted_) set_clock(step);
}

void StepOrder::sort() {
  const std::size_t steps = plan_.steps.size();
  // The usual plan is sorted as it stands: then messages about it follow its own order, too.
  for (std::size_t index = 0; index < steps; ++index) {
    const auto step = make_id<StepId>(index);
    const auto waits = plan_.waits[step];
    if (!std::all_of(waits.begin(), waits.end(), [&](StepId wait) { return wait < step; })) break;
    sorted_.push_back(step);
  }
  if (sorted_.size() == steps) return;
  sorted_.clear();

  const Csr<StepId, StepId> waiters = plan_.waits.transposed(steps);
  std::vector<std::size_t> before(steps);  // what has not been sorted yet
  for (std::size_t index = 0; index < steps; ++index) {
    before[index] =
        plan_.waits[make_id<StepId>(index)].size() + (plan_.positions[index] > 0 ? 1 : 0);
    if (before[index] == 0) sorted_.push_back(make_id<StepId>(index));
  }
  const auto sort_if_last = [&](StepId step) {
    if (--before[step.at()] == 0) sorted_.push_back(step);
  };
  for (std::size_t next = 0; next < sorted_.size(); ++next) {
    const StepId step = sorted_[next];
    const auto& own_queue = plan_.queues[queue(step)];
    const auto behind = static_cast<std::size_t>(plan_.positions[step.at()]) + 1;
    if (behind < own_queue.size()) sort_if_last(own_queue[behind]);
    for (const StepId waiter : waiters[step]) sort_if_last(waiter);
  }
  if (sorted_.size() == steps) return;

  // From any step that is left, some step before it is left too: going back ends on a cycle.
  const auto left = [&](StepId step) { return before[step.at()] > 0; };
  const auto first =
      std::find_if(before.begin(), before.end(), [](auto count) { return count > 0; });
  auto step = make_id<StepId>(static_cast<std::size_t>(first - before.begin()));
  for (std::size_t hops = 0; hops < steps; ++hops) {
    const auto waits = plan_.waits[step];
    const auto wait = std::find_if(waits.begin(), waits.end(), left);
    step =
        wait != waits.end()
            ? *wait
            : plan_.queues[queue(step)][static_cast<std::size_t>(plan_.positions[step.at()]) - 1];
  }
  on_cycle_ = step;
}

void StepOrder::follow(StepId step, StepId before) {
  std::int32_t* clock = &clocks_[step.at() * queues_];
  const std::int32_t* earlier = &clocks_[before.at() * queues_];
  for (std::size_t q = 0; q < queues_; ++q) clock[q] = std::max(clock[q], earlier[q]);
  std::int32_t& own = clock[queue(before)];
  own = std::max(own, plan_.positions[before.at()] + 1);
}

void StepOrder::set_clock(StepId step) {
  const auto position = static_cast<std::size_t>(plan_.positions[step.at()]);
  if (position > 0) follow(step, plan_.queues[queue(step)][position - 1]);
  for (const StepId wait : plan_.waits[step]) follow(step, wait);
}

}  // namespace ooc
