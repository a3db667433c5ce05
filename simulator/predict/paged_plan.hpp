// Plans of schedules that move pages (Trait::kMovesPages), about parts of tensors and slices of
// tasks; and the copy modes that such schedules need of a profile.
#pragma once

#include <string>

#include "simulator/predict/case.hpp"
#include "simulator/schedules/sub_batch.hpp"

namespace ooc {

/// `rounds` is never null where there is a plan: it holds the graph and the costs of the parts.
[[nodiscard]] PlannedIteration plan_in_pages(const Case& which, const Schedule& schedule,
                                             Bytes budget, SubBatch sub_batch);

/// Returns "unified_prefetch" for schedules that prefetch pages, "unified_fault" for others that move pages, else `given`.
[[nodiscard]] std::string transfer_mode(const Schedule& schedule, const std::string& given);
/// Throws SpecError for a mode that the profile lacks, and at --devices, since pages work on one device.
void check_pages(const Schedule& schedule, const Machine& machine, const CaseOptions& options);
/// Returns the first needed mode that the profile lacks; empty if it has all.
[[nodiscard]] std::string missing_mode(const Schedule& schedule, const HardwareProfile& hardware);

}  // namespace ooc
