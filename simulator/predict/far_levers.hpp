// What a job that overflows far memory would take of it with one thing changed.
#pragma once

#include <vector>

#include "simulator/predict/case.hpp"

namespace ooc {

/// What takes less of far memory, least first; nothing that saves less than a hundredth, and nothing for which near
/// memory is too small. Each is run with room in far memory, so `needs` suffices for it. Where no one change is enough,
/// also pairs of those of precision, optimiser and where state is. None of schedules that search.
[[nodiscard]] std::vector<Lever> far_levers(const Workload& workload, const Machine& machine,
                                            const CaseOptions& options, const Schedule& schedule,
                                            const OutOfMemory& lacks);

}  // namespace ooc
