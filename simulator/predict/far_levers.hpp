// Suggestions for a job that overflows host memory: its need with one change.
#pragma once

#include <vector>

#include "simulator/predict/case.hpp"

namespace ooc {

/// Returns changes that reduce the need, smallest need first, except savings below 1 % and changes for which
/// GPU memory is too small. Each was run with enough host memory, so `needs` suffices. If no single change is
/// enough: also pairs of precision, optimiser and place of states. Empty for schedules that search.
[[nodiscard]] std::vector<Lever> far_levers(const Workload& workload, const Machine& machine,
                                            const CaseOptions& options, const Schedule& schedule,
                                            const OutOfMemory& lacks);

}  // namespace ooc
