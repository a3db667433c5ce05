// Suggestions for a job that does not fit: its need with one change, and what fills the memory now.
// Nothing is run; sizes decide, as for the smallest budget.
#pragma once

#include <vector>

#include "simulator/predict/case.hpp"

namespace ooc {

/// True if the job lacks GPU memory.
[[nodiscard]] bool lacks_near_memory(const RunReport& report);

/// Returns GPU memory at its peak if nothing moved, by category; adds up to the in-core peak. Unset
/// for accountings without lifetimes.
[[nodiscard]] std::optional<BytesByCategory> in_core_by_category(const Case& which);

/// Returns single changes that reduce the need for the memory that the job lacks (GPU or host),
/// smallest need first, except savings below 1 %. Changes: precision, 8-bit Adam, half the sequence,
/// half the batch, schedules that keep only block inputs or move all they can, where the state is.
/// Empty if the schedule does not know its need.
[[nodiscard]] std::vector<Lever> levers(const Workload& workload, const Machine& machine,
                                        const CaseOptions& options, const Schedule& schedule,
                                        const RunReport& report);

}  // namespace ooc
