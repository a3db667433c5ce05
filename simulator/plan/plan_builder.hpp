// Builder of a Plan. Steps get sequence numbers and places on queues in the order of calls. Waits,
// acquires and releasers may be added at any time before finish().
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
  /// Only for plans of one device.
  StepId far_compute(TaskId task, AlternativeId alternative);
  /// Marks a copy of a far update's result (Step::for_update).
  void for_update(StepId copy);
  /// Marks a copy on page faults (Step::on_demand).
  void on_demand(StepId copy);

  BlockId tensor_block(TensorId tensor, Bytes bytes, int device = 0);
  BlockId workspace_block(TaskId task, Bytes bytes, int device = 0);
  /// Block of weight gradients that the task is the first to write; only for plans of one device.
  BlockId gradient_block(TaskId task, Bytes bytes);

  void wait(StepId step, StepId until_ended);
  void acquire(StepId step, BlockId block);
  void initially_resident(BlockId block);
  void release(BlockId block, StepId when_ended);

  /// Sorts all into rows; drops duplicate waits and releasers.
  [[nodiscard]] Plan finish() &&;
  /// Returns the plan, valid until reset() or the next added step.
  [[nodiscard]] const Plan& finish() &;
  /// Starts anew and reuses the memory.
  void reset();

 private:
  StepId add(Step step);
  QueuedStep& queued_step(StepId id);
  // Data for the engine are recorded with each call; by note_all() at the end if a call names a
  // later step or block.
  void note_wait(StepId step, StepId until_ended);
  void note_acquire(StepId step, BlockId block);
  void note_all();
  void check_ids() const;
  /// Whether pairs are kept after sorting: for a million layers these are hundreds of megabytes.
  enum class Pairs { kKeep, kDrop };
  void derive(Pairs pairs);

  Plan plan_;
  std::vector<std::pair<StepId, StepId>> waits_;
  std::vector<std::pair<StepId, QueueNeed>> remote_needs_;
  std::vector<std::pair<StepId, BlockId>> acquires_;
  std::vector<std::pair<BlockId, StepId>> releasers_;
  bool ahead_ = false;  ///< a wait or acquire named a later step or block
};

}  // namespace ooc
