// Common code of functions that turn one plan into another: copies steps and blocks and translates
// their ids. The caller decides which steps and blocks to copy, when, and with which changes.
#pragma once

#include <optional>
#include <vector>

#include "simulator/plan/plan_builder.hpp"

namespace ooc {

class PlanRewriter {
 public:
  /// `from` and `to` must outlive the object.
  PlanRewriter(const Plan& from, PlanBuilder& to)
      : from_(from),
        to_(to),
        steps_(from.steps.size()),
        blocks_(from.blocks.size()),
        kept_(from.blocks.size()) {}

  [[nodiscard]] const Step& old(StepId step) const { return from_.steps[step.at()]; }

  StepId add(StepId old, const Step& is) {
    const StepId added = to_.add(is);
    steps_[old.at()] = added;
    return added;
  }
  BlockId add(BlockId old, const Block& is) {
    const BlockId added = to_.add(is);
    blocks_[old.at()] = added;
    return added;
  }
  /// Maps `old`, a step left out of the new plan, to the new step `by`.
  void replace(StepId old, StepId by) { steps_[old.at()] = by; }

  // step() and block() return the new id; unset: left out, or not added yet.
  [[nodiscard]] std::optional<StepId> step(StepId old) const { return steps_[old.at()]; }
  [[nodiscard]] std::optional<BlockId> block(BlockId old) const { return blocks_[old.at()]; }

  /// Adds the waits and the taken and released blocks of `old` to its new step, except those without a new id.
  void tie(StepId old) {
    wait(old);
    acquire(old);
    release(old);
  }
  void wait(StepId old) {
    for (const StepId until : from_.waits[old]) {
      if (const auto& it = steps_[until.at()]) to_.wait(*steps_[old.at()], *it);
    }
  }
  void acquire(StepId old) {
    for (const BlockId block : from_.acquires[old]) {
      if (const auto& it = blocks_[block.at()]) to_.acquire(*steps_[old.at()], *it);
    }
  }
  void release(StepId old) {
    for (const BlockId block : from_.releases[old]) {
      const auto& it = blocks_[block.at()];
      if (it && !kept_[block.at()]) to_.release(*it, *steps_[old.at()]);
    }
  }
  /// Lets release() skip the block, so that only the caller's own releasers free it.
  void keep(BlockId old) { kept_[old.at()] = true; }

 private:
  const Plan& from_;
  PlanBuilder& to_;
  std::vector<std::optional<StepId>> steps_;    ///< by old step: new id; unset: none
  std::vector<std::optional<BlockId>> blocks_;  ///< by old block: new id; unset: none
  std::vector<bool> kept_;                      ///< by old block: true after keep()
};

/// Returns `step` for task `as` of another iteration, with the same algorithm. `from`, `to`: costs of both iterations.
[[nodiscard]] inline Step renamed(Step step, TaskId as, const CostTable& from,
                                  const CostTable& to) {
  step.alternative.index +=
      to.first_alternative[as.at()] - from.first_alternative[static_cast<std::size_t>(step.object)];
  step.object = as.index;
  return step;
}

}  // namespace ooc
