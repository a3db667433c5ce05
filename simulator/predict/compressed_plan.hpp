// Of a case under a schedule that compresses tensors (simulator/schedules/lms_compress.hpp): what only
// the profile can price, and what such plans do not go with.
#pragma once

#include "simulator/predict/case.hpp"
#include "simulator/schedules/sub_batch.hpp"

namespace ooc {

/// SpecError where the batch is cut: into rounds.
void check_compression(const SubBatch& sub_batch);

[[nodiscard]] RoundsResult plan_compressed(const Case& which, const PlanningProblem& problem);

}  // namespace ooc
