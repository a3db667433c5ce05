// A few steps with hand-made costs, for tests of single rules of the engine.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>

#include "simulator/engine/simulate.hpp"
#include "simulator/plan/plan_builder.hpp"

namespace ooc::test {

/// Sizes in bytes, times in ns. At the default rate of 1 GB/s a byte takes 1 ns.
class Scenario {
 public:
  explicit Scenario(bool one_stream = false) : builder_(PlanHeader{.one_stream = one_stream}) {}

  struct Copy {
    std::int64_t bytes = 0;
    std::int64_t latency = 0;
    BytesPerSecond rate{1'000'000'000};
  };

  StepId compute(std::int64_t time, std::initializer_list<StepId> waits = {}) {
    return with_waits(builder_.compute({0}, alternative(time)), waits);
  }
  /// The same, that the host issues in `issue` ns.
  StepId issued(std::int64_t time, std::int64_t issue, std::initializer_list<StepId> waits = {}) {
    const AlternativeId way = alternative(time);
    costs.alternatives.back().issue = Duration(issue);
    return with_waits(builder_.compute({0}, way), waits);
  }
  StepId recompute(std::int64_t time, std::initializer_list<StepId> waits = {}) {
    return with_waits(builder_.recompute({0}, alternative(time)), waits);
  }
  StepId far_compute(std::int64_t time) { return builder_.far_compute({0}, alternative(time)); }
  StepId to_far(Copy copy, std::initializer_list<StepId> waits = {}) {
    return with_waits(builder_.to_far(tensor(copy)), waits);
  }
  StepId to_near(Copy copy, std::initializer_list<StepId> waits = {}) {
    return with_waits(builder_.to_near(tensor(copy)), waits);
  }
  /// A block that `taker` takes and that is freed when the last of `releasers` has ended.
  BlockId takes(StepId taker, std::int64_t bytes, std::initializer_list<StepId> releasers = {}) {
    const BlockId block = builder_.tensor_block({0}, Bytes(bytes));
    builder_.acquire(taker, block);
    for (const StepId releaser : releasers) builder_.release(block, releaser);
    return block;
  }
  /// Workspace of a task, of tensors of up to `largest` bytes.
  void takes_workspace(StepId task, std::int64_t bytes, std::int64_t largest) {
    builder_.take_workspace(task, {0}, Bytes(bytes));
    costs.alternatives.back().largest = Bytes(largest);
  }
  BlockId initially(std::int64_t bytes, std::initializer_list<StepId> releasers = {}) {
    const BlockId block = builder_.tensor_block({0}, Bytes(bytes));
    builder_.initially_resident(block);
    for (const StepId releaser : releasers) builder_.release(block, releaser);
    return block;
  }
  void releases(BlockId block, StepId releaser) { builder_.release(block, releaser); }
  void wait(StepId step, StepId until) { builder_.wait(step, until); }

  /// Runs it; call once.
  const Outcome& run(std::int64_t budget = std::int64_t{1} << 40,
                     Allocator allocator = Allocator::kIdeal) {
    plan = std::move(builder_).finish();
    outcome_ =
        simulate({.plan = plan, .costs = costs, .budget = Bytes(budget), .allocator = allocator});
    return outcome_;
  }
  [[nodiscard]] const Timeline& timeline() const { return std::get<Timeline>(outcome_); }
  [[nodiscard]] const Blocked& blocked() const { return std::get<Blocked>(outcome_); }
  [[nodiscard]] std::int64_t start(StepId step) const {
    return timeline().spans[step.at()].start.count();
  }
  [[nodiscard]] std::int64_t end(StepId step) const {
    return timeline().spans[step.at()].end.count();
  }
  [[nodiscard]] std::int64_t time() const { return timeline().iteration_time.count(); }
  [[nodiscard]] std::int64_t stalled(StallCause cause) const {
    return timeline().stall_totals[static_cast<std::size_t>(cause)].count();
  }

  CostTable costs;
  Plan plan;

 private:
  AlternativeId alternative(std::int64_t time) {
    costs.alternatives.emplace_back().time = Duration(time);
    return make_id<AlternativeId>(costs.alternatives.size() - 1);
  }
  TensorId tensor(const Copy& copy) {
    const Bytes bytes(copy.bytes);
    const Duration latency(copy.latency);
    const TransferCost cost{latency, copy.rate, latency + transfer_time(bytes, copy.rate)};
    costs.tensor_bytes.push_back(bytes);
    costs.transfers.to_far.push_back(cost);
    costs.transfers.to_near.push_back(cost);
    return make_id<TensorId>(costs.tensor_bytes.size() - 1);
  }
  StepId with_waits(StepId step, std::initializer_list<StepId> waits) {
    for (const StepId until : waits) builder_.wait(step, until);
    return step;
  }

  PlanBuilder builder_;
  Outcome outcome_;
};

}  // namespace ooc::test
