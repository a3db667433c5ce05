// Plans of schedules that move pages (Trait::kMovesPages), about parts of tensors and slices of
// tasks; and the copy modes that such schedules need of a profile.
#pragma once

#include <string>
#include <vector>

#include "simulator/predict/planning.hpp"

namespace ooc {

/// `rounds` is never null where there is a plan: it holds the graph and the costs of the parts.
[[nodiscard]] PlannedIteration plan_in_pages(const Case& which, const Schedule& schedule,
                                             Bytes budget);
/// The pass of schedules that move pages, as Pass has it.
[[nodiscard]] std::string asks_pages(const PassJob& job);
[[nodiscard]] std::vector<Exclusion> pages_without(const PassJob& job);

/// Returns "unified_prefetch" for schedules that prefetch pages, "unified_fault" for others that move pages, else `given`.
[[nodiscard]] std::string transfer_mode(const Schedule& schedule, const std::string& given);
/// Throws SpecError for a mode that the profile lacks.
void check_modes(const Schedule& schedule, const Machine& machine);
/// Returns the first needed mode that the profile lacks; empty if it has all.
[[nodiscard]] std::string missing_mode(const Schedule& schedule, const HardwareProfile& hardware);

}  // namespace ooc
