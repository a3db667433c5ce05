// Gradient accumulation under any schedule: size of a micro-batch and plan of the iteration
// (docs/notebook/0004-sub-batches.md). Equations (1) to (3) of the moDNN paper give the size. Other
// schedules become the paper's "+" versions ("vDNN+").
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "model/rewrite/iteration.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

/// Job for plan_in_rounds(). Micro-batches are also called rounds.
struct RoundsRequest {
  const TrainingGraph& graph;
  const CostTable& costs;  ///< costs at the whole batch
  Bytes budget;
  SubBatch sub_batch;  ///< kAuto or kSize
  /// Returns the costs at a smaller batch, transfers included.
  std::function<CostTable(std::int64_t batch)> costs_at;
  /// Returns the schedule's plan of one micro-batch.
  std::function<PlanResult(const CostTable& costs)> plan;
  /// Runs a plan of one micro-batch. Set: kAuto tries several sizes and takes the fastest. Null:
  /// kAuto takes the size of eq. 3, or the largest below that fits.
  std::function<Trial(const Plan& plan, const CostTable& costs)> evaluate = {};
};

/// Plan, with the graph and costs that it runs.
struct PlannedIteration {
  PlanResult plan;
  std::shared_ptr<const Iteration> iteration = {};  ///< null: graph and costs of the request
};

/// Returns the plan in micro-batches. Throws SpecError for more samples than the batch, or more than 2^22 tasks in all.
[[nodiscard]] PlannedIteration plan_in_rounds(const RoundsRequest& request);

/// Returns the size of micro-batch in [1, batch] at which the largest task with its fastest algorithm
/// fills the budget, by iterating eq. 3.
[[nodiscard]] std::int64_t balanced_sub_batch(const RoundsRequest& request);

}  // namespace ooc
