// What a job that does not fit would take with one thing changed, and what fills the memory as it is. Nothing is
// run: sizes decide, as for the smallest budget.
#pragma once

#include <vector>

#include "simulator/predict/case.hpp"

namespace ooc {

/// Whether it is near memory that the job lacks.
[[nodiscard]] bool lacks_near_memory(const RunReport& report);

/// What near memory would hold at its fullest if nothing moved, by purpose: adds up to the in-core peak. None under
/// accountings that have no lifetimes.
[[nodiscard]] std::optional<BytesByCategory> in_core_by_category(const Case& which);

/// Of a job that lacks far memory: far_levers(). Of one that lacks near memory: what takes less, least first; nothing that saves less than a
/// hundredth. One change each: precision, 8-bit Adam, half the
/// sequence, half the batch, the schedules that make block inputs enough or move what can be. Empty where the schedule
/// does not know what it takes.
[[nodiscard]] std::vector<Lever> levers(const Workload& workload, const Machine& machine,
                                        const CaseOptions& options, const Schedule& schedule,
                                        const RunReport& report);

}  // namespace ooc
