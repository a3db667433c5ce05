// Plans of schedules that compress tensors (simulator/schedules/lms_compress.hpp): costs by the
// profile, and checks.
#pragma once

#include "simulator/predict/case.hpp"
#include "simulator/schedules/sub_batch.hpp"

namespace ooc {

/// Throws SpecError if the batch is cut into micro-batches.
void check_compression(const SubBatch& sub_batch);

[[nodiscard]] RoundsResult plan_compressed(const Case& which, const PlanningProblem& problem);

}  // namespace ooc
