// Facts that the checks of validate_plan share: plan, graph, costs, order of steps, takers of
// blocks, and texts for names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/plan/step_order.hpp"

namespace ooc {

/// Sentence that names the step at fault; unset: no fault.
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
  std::vector<std::optional<StepId>> taken_by;  ///< by block; unset: present from the start

  [[nodiscard]] const Step& step(StepId id) const { return plan.steps[id.at()]; }
  [[nodiscard]] const Block& block(BlockId id) const { return plan.blocks[id.at()]; }
  [[nodiscard]] bool is_input(TensorId tensor) const {
    return graph.tensors[tensor.at()].role == TensorRole::kInput;
  }
  /// Text such as "step 7 (to_near conv1)".
  [[nodiscard]] std::string at(StepId step) const;
  /// Text such as "'conv1'".
  [[nodiscard]] std::string name(TensorId tensor) const;

  /// True if the block is certainly taken by `user`, or by a step that has ended before it starts.
  [[nodiscard]] bool taken_before(BlockId id, StepId user) const;
  /// True if `user` is a releaser, or a releaser certainly comes after it.
  [[nodiscard]] bool stays_until_end_of(BlockId id, StepId user) const;
};

/// Checks step by step that each tensor a step touches is certainly present with the right
/// contents. Precondition: steps, tasks and blocks are valid.
[[nodiscard]] Verdict validate_contents(const PlanFacts& facts);

}  // namespace ooc
