// Facts that the checks of validate_plan share: plan, graph, costs, order of steps, takers of
// blocks, and texts for names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"
#include "simulator/plan/plan.hpp"

namespace ooc {

// Order of steps that holds whatever the timing, from queues and waits. Queues are in order, so
// what has certainly ended before a step starts is one number a queue. These clocks take one pass
// over the plan; each question is then one comparison.

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
    return queue_index(it.kind);
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
