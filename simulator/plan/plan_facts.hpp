// What the checks of validate_plan share: the plan with its graph and costs, the order of its
// steps, who takes each block, and the words to name things by.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/plan/step_order.hpp"

namespace ooc {

/// None: no objection. Else one sentence that names the step.
using Verdict = std::optional<std::string>;

struct PlanFacts {
  PlanFacts(const Plan& the_plan, const TrainingGraph& the_graph, const CostTable& the_costs)
      : plan(the_plan),
        graph(the_graph),
        costs(the_costs),
        order(the_plan),
        taken_by(the_plan.blocks.size()) {}

  const Plan& plan;
  const TrainingGraph& graph;
  const CostTable& costs;
  StepOrder order;
  std::vector<std::optional<StepId>> taken_by;  ///< by block; none: resident from the start

  [[nodiscard]] const Step& step(StepId id) const { return plan.steps[id.at()]; }
  [[nodiscard]] const Block& block(BlockId id) const { return plan.blocks[id.at()]; }
  [[nodiscard]] bool is_input(TensorId tensor) const {
    return graph.tensors[tensor.at()].role == TensorRole::kInput;
  }
  /// "step 7 (to_near conv1)"
  [[nodiscard]] std::string at(StepId step) const;
  /// "'conv1'"
  [[nodiscard]] std::string name(TensorId tensor) const;

  /// The block was certainly taken by `user` itself or by a step that has ended before it.
  [[nodiscard]] bool taken_before(BlockId id, StepId user) const;
  /// Some releaser is `user` itself or certainly comes after it.
  [[nodiscard]] bool stays_until_end_of(BlockId id, StepId user) const;
};

/// Step by step: every tensor that a step touches is certainly resident and holds the right
/// contents. The structure (steps, tasks, blocks) has been found sound.
[[nodiscard]] Verdict validate_contents(const PlanFacts& facts);

}  // namespace ooc
