// Costs of a case at fewer samples, for gradient accumulation.
#pragma once

#include <cstdint>

#include "simulator/predict/case.hpp"

namespace ooc {

/// Returns the costs at `batch` samples, transfers included.
[[nodiscard]] CostTable round_costs(const Case& which, std::int64_t batch);

/// Returns --sub-batch, else the schedule's choice. Accountings without lifetimes allow no gradient accumulation.
[[nodiscard]] SubBatch sub_batch_of(Accounting accounting, const ScheduleOptions& options,
                                    const Schedule& schedule);
[[nodiscard]] SubBatch sub_batch_of(const Case& which, const Schedule& schedule);

}  // namespace ooc
