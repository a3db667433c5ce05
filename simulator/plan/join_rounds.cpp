// Copies steps and blocks under new ids. Between rounds: a network input that a round's plan finds near
// at its start is near from the start only in the first; in the others it is copied in when the
// round before has ended, and the round's first task waits for it. So a round starts from the state
// that its plan was made for. What that hides: the input could come in earlier, beside the last
// tasks of the round before, where there is room; it is small against what a round moves.
#include "simulator/plan/join_rounds.hpp"

#include <optional>
#include <vector>

#include "model/base/errors.hpp"
#include "simulator/plan/plan_builder.hpp"

namespace ooc {
namespace {

class RoundJoiner {
 public:
  RoundJoiner(const TrainingGraph& graph, const Rounds& rounds, const RoundPlan& full)
      : graph_(graph), rounds_(rounds), builder_(full.plan.static_bytes) {
    const auto count = static_cast<std::size_t>(rounds.count);
    builder_.reserve(full.plan.steps.size() * count, full.plan.blocks.size() * count);
  }

  void append(const RoundPlan& from, std::int64_t round) {
    OOC_CHECK(from.plan.devices == 1, "rounds are joined on one device");
    const bool is_last = round + 1 == rounds_.count;
    begin(from.plan, round);
    add_steps(from, round, is_last);
    add_blocks(from.plan, round);
    tie(from.plan, round);
    last_compute_ = latest_;
  }

  [[nodiscard]] Plan finish() && { return std::move(builder_).finish(); }

 private:
  [[nodiscard]] TensorId tensor(std::int32_t index, std::int64_t round) const {
    return tensor_in_round(graph_, TensorId{index}, round);
  }
  [[nodiscard]] TaskId task(std::int32_t index, std::int64_t round) const {
    return task_in_round(graph_, rounds_.count, TaskId{index}, round);
  }

  /// Copies in for what the plan has near from the start.
  void begin(const Plan& plan, std::int64_t round) {
    inputs_.clear();
    if (round == 0) return;
    for (const BlockId block : plan.initial_blocks) {
      const StepId copy = builder_.to_near(tensor(plan.blocks[block.at()].object, round));
      builder_.wait(copy, *last_compute_);
      inputs_.push_back(copy);
    }
  }

  void add_steps(const RoundPlan& from, std::int64_t round, bool is_last) {
    steps_.assign(from.plan.steps.size(), std::nullopt);
    bool first = true;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = from.plan.steps[i];
      if (step.kind != StepKind::kCompute) {
        const TensorId moved = tensor(step.object, round);
        steps_[i] =
            step.kind == StepKind::kToFar ? builder_.to_far(moved) : builder_.to_near(moved);
        if (step.on_demand) builder_.on_demand(*steps_[i]);
        continue;
      }
      const bool update = static_cast<std::size_t>(step.object) >= graph_.backward_end;
      if (update && !is_last) continue;
      const TaskId runs = task(step.object, round);
      const std::int32_t way = step.alternative.index -
                               from.costs.first_alternative[static_cast<std::size_t>(step.object)];
      const AlternativeId alternative{rounds_.costs.first_alternative[runs.at()] + way};
      steps_[i] = step.recompute ? builder_.recompute(runs, alternative)
                                 : builder_.compute(runs, alternative);
      latest_ = *steps_[i];
      if (first) {
        for (const StepId copy : inputs_) builder_.wait(latest_, copy);
      }
      first = false;
    }
  }

  void add_blocks(const Plan& plan, std::int64_t round) {
    blocks_.assign(plan.blocks.size(), std::nullopt);
    const auto add = [&](BlockId id) {
      const Block& block = plan.blocks[id.at()];
      blocks_[id.at()] = block.kind == BlockKind::kTensor
                             ? builder_.tensor_block(tensor(block.object, round), block.bytes)
                             : builder_.workspace_block(task(block.object, round), block.bytes);
      return *blocks_[id.at()];
    };
    for (std::size_t i = 0; i < plan.initial_blocks.size(); ++i) {
      const BlockId block = add(plan.initial_blocks[i]);
      if (round == 0) {
        builder_.initially_resident(block);
      } else {
        builder_.acquire(inputs_[i], block);
      }
    }
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (!steps_[i]) continue;
      for (const BlockId id : plan.acquires[make_id<StepId>(i)]) {
        builder_.acquire(*steps_[i], add(id));
      }
    }
  }

  /// Waits and releasers. An update that does not run here stands for the round's last task.
  void tie(const Plan& plan, std::int64_t round) {
    const auto mapped = [&](StepId step) { return steps_[step.at()].value_or(latest_); };
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (!steps_[i]) continue;
      for (const StepId until : plan.waits[make_id<StepId>(i)]) {
        builder_.wait(*steps_[i], mapped(until));
      }
      if (round > 0 && plan.steps[i].kind != StepKind::kCompute) {
        // A copy that waits for nothing in its round must not begin before it.
        builder_.wait(*steps_[i], *last_compute_);
      }
    }
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (!blocks_[i]) continue;
      for (const StepId step : plan.releasers[make_id<BlockId>(i)]) {
        builder_.release(*blocks_[i], mapped(step));
      }
    }
  }

  const TrainingGraph& graph_;
  const Rounds& rounds_;
  PlanBuilder builder_;
  std::vector<StepId> inputs_;                ///< copies in at the start of this round
  std::vector<std::optional<StepId>> steps_;  ///< by step of the round's plan
  std::vector<std::optional<BlockId>> blocks_;
  StepId latest_;                       ///< compute step
  std::optional<StepId> last_compute_;  ///< of the round before
};

}  // namespace

Plan join_rounds(const TrainingGraph& graph, const RoundPlan& full, const RoundPlan& last,
                 const Rounds& rounds) {
  RoundJoiner joiner(graph, rounds, full);
  for (std::int64_t round = 0; round + 1 < rounds.count; ++round) joiner.append(full, round);
  joiner.append(last, rounds.count - 1);
  Plan plan = std::move(joiner).finish();
  plan.far_compression = full.plan.far_compression;
  return plan;
}

}  // namespace ooc
