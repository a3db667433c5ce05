// Of a case with fewer samples: what a round of an iteration in sub-batches costs.
#pragma once

#include <cstdint>

#include "simulator/predict/case.hpp"

namespace ooc {

/// Costs of the case at `batch` samples, transfers included.
[[nodiscard]] CostTable round_costs(const Case& which, std::int64_t batch);

/// What --sub-batch says, else what the schedule does. Accountings without lifetimes know no rounds.
[[nodiscard]] SubBatch sub_batch_of(Accounting accounting, const ScheduleOptions& options,
                                    const Schedule& schedule);
[[nodiscard]] SubBatch sub_batch_of(const Case& which, const Schedule& schedule);

}  // namespace ooc
