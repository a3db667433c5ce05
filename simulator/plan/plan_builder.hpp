// Builder of a Plan. Steps get sequence numbers and places on queues in the order of calls. Waits,
// acquires and releasers may be added at any time before finish().
#pragma once

#include <utility>
#include <vector>

#include "simulator/plan/plan.hpp"

namespace ooc {

class PlanBuilder {
 public:
  explicit PlanBuilder(const PlanHeader& header);
  explicit PlanBuilder(Bytes static_bytes)
      : PlanBuilder(PlanHeader{.static_bytes = static_bytes}) {}
  void reserve(std::size_t steps, std::size_t blocks);

  /// Appends a step to its queue and returns its id.
  StepId add(const Step& step);
  StepId compute(TaskId task, AlternativeId alternative) {
    return add(Step{.object = task.index, .alternative = alternative});
  }
  StepId recompute(TaskId task, AlternativeId alternative) {
    return add(Step{.recompute = true, .object = task.index, .alternative = alternative});
  }
  StepId to_far(TensorId tensor) {
    return add(Step{.kind = StepKind::kToFar, .object = tensor.index});
  }
  StepId to_near(TensorId tensor) {
    return add(Step{.kind = StepKind::kToNear, .object = tensor.index});
  }
  StepId far_compute(TaskId task, AlternativeId alternative) {
    return add(
        Step{.kind = StepKind::kFarCompute, .object = task.index, .alternative = alternative});
  }
  /// Marks the copy as caused by a page fault (Step::on_demand).
  void on_demand(StepId copy);

  BlockId add(const Block& block);
  BlockId tensor_block(TensorId tensor, Bytes bytes) {
    return add(Block{.bytes = bytes, .object = tensor.index});
  }
  /// The step takes so much workspace while it runs.
  void take_workspace(StepId step, TaskId task, Bytes bytes) {
    if (bytes.count() == 0) return;
    const BlockId block =
        add(Block{.bytes = bytes, .kind = BlockKind::kWorkspace, .object = task.index});
    acquire(step, block);
    release(block, step);
  }

  void wait(StepId step, StepId until_ended);
  void acquire(StepId step, BlockId block);
  void initially_resident(BlockId block);
  void release(BlockId block, StepId when_ended);

  /// Returns the plan. Duplicate waits and releasers are dropped.
  [[nodiscard]] Plan finish() &&;
  /// Returns the plan, valid until reset() or the next added step.
  [[nodiscard]] const Plan& finish() &;
  /// Empties the builder and reuses its memory.
  void reset();

 private:
  QueuedStep& queued_step(StepId id);
  // Each call records its data for the engine (Plan::queued). If a call names a step or block that is added later,
  // note_all() records all of them again at the end.
  void note_wait(StepId step, StepId until_ended);
  void note_acquire(StepId step, BlockId block);
  void note_all();
  void check_ids() const;
  /// Pairs in waits_, acquires_ and releasers_: kept for later calls, or freed (hundreds of MB for a million layers).
  enum class Pairs { kKeep, kDrop };
  void derive(Pairs pairs);

  Plan plan_;
  std::vector<std::pair<StepId, StepId>> waits_;
  std::vector<std::pair<StepId, BlockId>> acquires_;
  std::vector<std::pair<BlockId, StepId>> releasers_;
  bool ahead_ = false;  ///< true: a call named a step or block that was not added yet
};

}  // namespace ooc
