// Sub-batches: how many samples a round takes, and the plan of an iteration in rounds under any
// schedule (docs/notebook/0004-sub-batches.md). The choice is moDNN's, equations (1) to (3); with another
// schedule it makes that one's "+" of the paper ("vDNN+").
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "model/rewrite/rounds.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

struct RoundsRequest {
  const TrainingGraph& graph;
  const CostTable& costs;  ///< at the whole batch
  Bytes budget;
  SubBatch sub_batch;  ///< auto or a size
  /// Costs at fewer samples, transfers included.
  std::function<CostTable(std::int64_t batch)> costs_at;
  /// The schedule's plan of one round.
  std::function<PlanResult(const CostTable& costs)> plan;
  /// Runs a plan of one round. Where it is given, `auto` tries several sizes and takes the one of
  /// least time; else it takes that of eq. 3.
  std::function<Trial(const Plan& plan, const CostTable& costs)> evaluate = {};
};

struct RoundsResult {
  PlanResult plan;
  std::shared_ptr<const Rounds>
      rounds;  ///< what the plan is about; null: the graph itself, one round
};

/// SpecError at --sub-batch for a size above the batch or one with too many rounds.
[[nodiscard]] RoundsResult plan_in_rounds(const RoundsRequest& request);

/// Eq. 3, iterated: the sub-batch with which the largest task, with its fastest algorithm, fills the
/// budget; from 1 to the batch.
[[nodiscard]] std::int64_t balanced_sub_batch(const RoundsRequest& request);

}  // namespace ooc
