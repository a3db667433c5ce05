// Builds a Plan. Steps get their sequence numbers and their places on the queues in the order of
// the calls; waits, acquires and releasers may be added at any time before finish().
#pragma once

#include <utility>
#include <vector>

#include "simulator/plan/plan.hpp"

namespace ooc {

class PlanBuilder {
 public:
  explicit PlanBuilder(Bytes static_bytes, int devices = 1);
  void reserve(std::size_t steps, std::size_t blocks);

  StepId compute(TaskId task, AlternativeId alternative, int device = 0);
  StepId recompute(TaskId task, AlternativeId alternative, int device = 0);
  StepId to_far(TensorId tensor, int device = 0);
  StepId to_near(TensorId tensor, int device = 0);
  /// Of a plan of one device.
  StepId far_compute(TaskId task, AlternativeId alternative);
  /// The copy brings what a far update wrote (Step::for_update).
  void for_update(StepId copy);
  /// The copy is made because a task faults (Step::on_demand).
  void on_demand(StepId copy);

  BlockId tensor_block(TensorId tensor, Bytes bytes, int device = 0);
  BlockId workspace_block(TaskId task, Bytes bytes, int device = 0);
  /// Of what the task begins of the weights' gradients; of a plan of one device.
  BlockId gradient_block(TaskId task, Bytes bytes);

  void wait(StepId step, StepId until_ended);
  void acquire(StepId step, BlockId block);
  void initially_resident(BlockId block);
  void release(BlockId block, StepId when_ended);

  /// Sorts everything into rows. Duplicate waits and releasers are dropped.
  [[nodiscard]] Plan finish() &&;
  /// The same; the plan stays here until reset() or until another step is added.
  [[nodiscard]] const Plan& finish() &;
  /// As new, in the memory that it has grown to.
  void reset();

 private:
  StepId add(Step step);
  QueuedStep& queued_step(StepId id);
  // What the engine reads is noted while steps, waits and acquires are at hand, or, if one names a
  // step or block that is added later, by note_all() in the end.
  void note_wait(StepId step, StepId until_ended);
  void note_acquire(StepId step, BlockId block);
  void note_all();
  void check_ids() const;
  /// Of a million layers the pairs are hundreds of megabytes: kDrop lets them go as soon as they are sorted.
  enum class Pairs { kKeep, kDrop };
  void derive(Pairs pairs);

  Plan plan_;
  std::vector<std::pair<StepId, StepId>> waits_;
  std::vector<std::pair<StepId, QueueNeed>> remote_needs_;
  std::vector<std::pair<StepId, BlockId>> acquires_;
  std::vector<std::pair<BlockId, StepId>> releasers_;
  bool ahead_ = false;  ///< some wait or acquire came before what it names
};

}  // namespace ooc
