// Copies steps and blocks under new ids. Between rounds: a network input that a round's plan finds near at its start is
// near from the start only in the first; in the others it is copied in when the round before has ended, and the round's
// first task waits for it. So a round starts from the state that its plan was made for. What that hides: the input could
// come in earlier, beside the last tasks of the round before, where there is room; it is small against what a round moves.
#include "simulator/plan/join_rounds.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "model/base/errors.hpp"
#include "simulator/plan/plan_rewriter.hpp"

namespace ooc {
namespace {

class RoundJoiner {
 public:
  RoundJoiner(const TrainingGraph& graph, const Iteration& all, const RoundPlan& full)
      : graph_(graph), all_(all), builder_(full.plan) {
    const auto count = static_cast<std::size_t>(all.rounds);
    builder_.reserve(full.plan.steps.size() * count, full.plan.blocks.size() * count);
  }

  void append(const RoundPlan& from, std::int64_t round) {
    round_ = round;
    PlanRewriter rewriter(from.plan, builder_);
    add_inputs(from.plan);
    const std::vector<bool> dropped = add_steps(from, rewriter);
    add_blocks(from.plan, rewriter, dropped);
    for (std::size_t i = 0; i < dropped.size(); ++i) {
      const StepId old = make_id<StepId>(i);
      if (!dropped[i]) rewriter.wait(old);
      rewriter.release(old);
      if (round > 0 && from.plan.steps[i].kind != StepKind::kCompute) {
        // A copy that waits for nothing in its round must not begin before it.
        builder_.wait(*rewriter.step(old), *last_compute_);
      }
    }
    last_compute_ = latest_;
  }

  [[nodiscard]] Plan finish() && { return std::move(builder_).finish(); }

 private:
  [[nodiscard]] TensorId tensor(std::int32_t index) const {
    return tensor_in_round(graph_, TensorId{index}, round_);
  }
  [[nodiscard]] TaskId task(std::int32_t index) const {
    return task_in_round(graph_, all_.rounds, TaskId{index}, round_);
  }

  /// Copies in for what the plan has near from the start.
  void add_inputs(const Plan& plan) {
    inputs_.clear();
    if (round_ == 0) return;
    for (const BlockId block : plan.initial_blocks) {
      inputs_.push_back(builder_.to_near(tensor(plan.blocks[block.at()].object)));
      builder_.wait(inputs_.back(), *last_compute_);
    }
  }

  /// True of each update that does not run in this round: the round's last task stands for it.
  std::vector<bool> add_steps(const RoundPlan& from, PlanRewriter& rewriter) {
    const std::vector<Step>& steps = from.plan.steps;
    std::vector<bool> dropped(steps.size());
    bool first = true;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const StepId old = make_id<StepId>(i);
      Step step = steps[i];
      if (step.kind != StepKind::kCompute) {
        step.object = tensor(step.object).index;
        rewriter.add(old, step);
        continue;
      }
      const bool update = static_cast<std::size_t>(step.object) >= graph_.backward_end;
      dropped[i] = update && round_ + 1 < all_.rounds;
      if (dropped[i]) continue;
      latest_ = rewriter.add(old, renamed(step, task(step.object), from.costs, all_.costs));
      for (std::size_t copy = 0; first && copy < inputs_.size(); ++copy) {
        builder_.wait(latest_, inputs_[copy]);
      }
      first = false;
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (dropped[i]) rewriter.replace(make_id<StepId>(i), latest_);
    }
    return dropped;
  }

  void add_blocks(const Plan& plan, PlanRewriter& rewriter, const std::vector<bool>& dropped) {
    const auto add = [&](BlockId id) {
      Block block = plan.blocks[id.at()];
      block.object =
          block.kind == BlockKind::kTensor ? tensor(block.object).index : task(block.object).index;
      return rewriter.add(id, block);
    };
    for (std::size_t i = 0; i < plan.initial_blocks.size(); ++i) {
      const BlockId block = add(plan.initial_blocks[i]);
      round_ == 0 ? builder_.initially_resident(block) : builder_.acquire(inputs_[i], block);
    }
    for (std::size_t i = 0; i < dropped.size(); ++i) {
      if (dropped[i]) continue;
      const StepId old = make_id<StepId>(i);
      for (const BlockId id : plan.acquires[old]) add(id);
      rewriter.acquire(old);
    }
  }

  const TrainingGraph& graph_;
  const Iteration& all_;
  PlanBuilder builder_;
  std::int64_t round_ = 0;              ///< the one that is added
  std::vector<StepId> inputs_;          ///< copies in at its start
  StepId latest_;                       ///< compute step
  std::optional<StepId> last_compute_;  ///< of the round before
};

}  // namespace

Plan join_rounds(const TrainingGraph& graph, const RoundPlan& full, const RoundPlan& last,
                 const Iteration& all) {
  RoundJoiner joiner(graph, all, full);
  for (std::int64_t round = 0; round + 1 < all.rounds; ++round) joiner.append(full, round);
  joiner.append(last, all.rounds - 1);
  return std::move(joiner).finish();
}

}  // namespace ooc
