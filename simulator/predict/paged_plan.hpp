// Plans of schedules that move pages (Trait::kMovesPages). Their graphs have parts of tensors and
// slices of tasks. Such schedules need certain copy modes of a profile.
#pragma once

#include <string>
#include <vector>

#include "simulator/predict/planning.hpp"

namespace ooc {

/// Returns the plan; `iteration` has the graph and costs of tensor parts and is set if there is a plan.
[[nodiscard]] PlannedIteration plan_in_pages(const Case& which, const Schedule& schedule,
                                             Bytes budget);
/// Functions of the pass (planning.hpp) for schedules that move pages.
[[nodiscard]] std::string asks_pages(const PassJob& job);
[[nodiscard]] std::vector<Exclusion> pages_without(const PassJob& job);

/// Returns "unified_prefetch" for schedules that prefetch pages, "unified_fault" for others that move pages, else `given`.
[[nodiscard]] std::string transfer_mode(const Schedule& schedule, const std::string& given);
/// Throws SpecError if the profile lacks a mode that the schedule needs.
void check_modes(const Schedule& schedule, const Machine& machine);
/// Returns the first needed mode that the profile lacks; empty if it has all.
[[nodiscard]] std::string missing_mode(const Schedule& schedule, const HardwareProfile& hardware);

}  // namespace ooc
