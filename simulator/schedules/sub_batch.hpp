// Gradient accumulation under any schedule: size of a micro-batch and plan of the iteration
// (docs/notebook/0004-sub-batches.md). The size is moDNN's, equations (1) to (3). Another schedule
// then becomes the paper's "+" version ("vDNN+").
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "model/rewrite/iteration.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

struct RoundsRequest {
  const TrainingGraph& graph;
  const CostTable& costs;  ///< costs at the whole batch
  Bytes budget;
  SubBatch sub_batch;  ///< kAuto or kSize
  /// Returns the costs at a smaller batch, transfers included.
  std::function<CostTable(std::int64_t batch)> costs_at;
  /// Returns the schedule's plan of one micro-batch.
  std::function<PlanResult(const CostTable& costs)> plan;
  /// Runs a plan of one micro-batch. Set: `auto` tries several sizes and takes the fastest. Unset:
  /// `auto` takes the size of eq. 3.
  std::function<Trial(const Plan& plan, const CostTable& costs)> evaluate = {};
};

/// A plan, and what it is about.
struct PlannedIteration {
  PlanResult plan;
  std::shared_ptr<const Iteration> iteration = {};  ///< null: the one that was to be planned
};

/// SpecError at --sub-batch for a size above the batch or one with too many rounds.
[[nodiscard]] PlannedIteration plan_in_rounds(const RoundsRequest& request);

/// Returns eq. 3, iterated: the micro-batch, in [1, batch], at which the largest task with its
/// fastest algorithm fills the budget.
[[nodiscard]] std::int64_t balanced_sub_batch(const RoundsRequest& request);

}  // namespace ooc
