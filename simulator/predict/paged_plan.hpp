// Schedules that move pages (Trait::kMovesPages): which modes of the profile they need, and their plans, which
// are about tensors cut into parts and tasks in slices.
#pragma once

#include <string>
#include <vector>

#include "simulator/predict/case.hpp"
#include "simulator/schedules/sub_batch.hpp"

namespace ooc {

/// `rounds` is never null where there is a plan: it holds the graph and the costs of the parts.
[[nodiscard]] RoundsResult plan_in_pages(const Case& which, const Schedule& schedule, Bytes budget,
                                         SubBatch sub_batch);

/// "unified_prefetch" for one that uses it, "unified_fault" for others that move pages, else `given`.
[[nodiscard]] std::string transfer_mode(const Schedule& schedule, const std::string& given);
/// SpecError at the mode that the profile lacks, and at --devices: pages are one device's.
void check_pages(const Schedule& schedule, const Machine& machine, const CaseOptions& options);
/// The first mode that the schedule needs and the profile lacks; "" if it has all.
[[nodiscard]] std::string missing_mode(const Schedule& schedule, const HardwareProfile& hardware);

}  // namespace ooc
