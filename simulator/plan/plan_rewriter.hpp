// Takes steps and blocks of one plan over into another, under the ids that they have there: what all that turns one plan
// into another has in common. Whoever does so says which steps and blocks, when, and what they are there.
#pragma once

#include <optional>
#include <vector>

#include "simulator/plan/plan_builder.hpp"

namespace ooc {

class PlanRewriter {
 public:
  /// Refers to both.
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
  /// `by` stands for a step that was left out.
  void replace(StepId old, StepId by) { steps_[old.at()] = by; }

  // Unset: left out, or not added yet.
  [[nodiscard]] std::optional<StepId> step(StepId old) const { return steps_[old.at()]; }
  [[nodiscard]] std::optional<BlockId> block(BlockId old) const { return blocks_[old.at()]; }

  /// What the step waits for, takes and frees, of what was added.
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
  /// No step frees it as in the old plan.
  void keep(BlockId old) { kept_[old.at()] = true; }

 private:
  const Plan& from_;
  PlanBuilder& to_;
  std::vector<std::optional<StepId>> steps_;    ///< by old step
  std::vector<std::optional<BlockId>> blocks_;  ///< by old block
  std::vector<bool> kept_;                      ///< likewise
};

/// The step of a task under the name and with the costs that this task has in another iteration.
[[nodiscard]] inline Step renamed(Step step, TaskId as, const CostTable& from,
                                  const CostTable& to) {
  step.alternative.index +=
      to.first_alternative[as.at()] - from.first_alternative[static_cast<std::size_t>(step.object)];
  step.object = as.index;
  return step;
}

}  // namespace ooc
