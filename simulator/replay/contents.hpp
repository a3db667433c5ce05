// Which block holds a tensor when a step touches it. A tensor that leaves near memory and comes back has a
// block for each stay; a step means the latest of those that were certainly taken before it starts and
// certainly stay until it ends (as in validate_plan). Of a plan that is not sound a step may have none;
// it then gets the next best, so that the content check can find it out.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "simulator/plan/plan_facts.hpp"
#include "simulator/replay/memory_order.hpp"

namespace ooc {

class Contents {
 public:
  /// The arguments must outlive this.
  Contents(const Plan& plan, const TrainingGraph& graph, const CostTable& costs,
           const MemoryOrder& order);

  /// None: the tensor is never near (it has no bytes).
  [[nodiscard]] std::optional<BlockId> block_of(TensorId tensor, StepId user) const;
  /// The source or destination of a copy.
  [[nodiscard]] BlockId copied(StepId step) const;
  /// The workspace that a compute step takes.
  [[nodiscard]] std::optional<BlockId> workspace_of(StepId step) const;

 private:
  PlanFacts facts_;
  std::vector<std::vector<BlockId>> stays_;  ///< by tensor, in the order of the simulated run
};

}  // namespace ooc
