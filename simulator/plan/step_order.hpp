// Order of steps that holds whatever the timing, from queues and waits. Queues are in order, so
// what has certainly ended before a step starts is one number a queue. These clocks take one pass
// over the plan; each question is then one comparison.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/plan/plan.hpp"

namespace ooc {

class StepOrder {
 public:
  explicit StepOrder(const Plan& plan);

  /// Step on a cycle of waits and queue order. If set, all other answers are undefined.
  [[nodiscard]] std::optional<StepId> step_on_cycle() const { return on_cycle_; }

  /// All steps, each after everything that certainly ends before it.
  [[nodiscard]] const std::vector<StepId>& sorted() const { return sorted_; }

  /// True if `earlier` has always ended when `later` starts.
  [[nodiscard]] bool ended_before(StepId earlier, StepId later) const {
    return clocks_[later.at() * queues_ + queue(earlier)] > plan_.positions[earlier.at()];
  }

 private:
  [[nodiscard]] std::size_t queue(StepId step) const {
    const Step& it = plan_.steps[step.at()];
    return static_cast<std::size_t>(queue_index(it.device, it.kind));
  }
  void sort();
  void set_clock(StepId step);
  void follow(StepId step, StepId before);

  const Plan& plan_;
  std::size_t queues_;
  std::vector<StepId> sorted_;
  std::vector<std::int32_t> clocks_;  ///< by step and queue: number of steps that have ended
  std::optional<StepId> on_cycle_;
};

}  // namespace ooc
