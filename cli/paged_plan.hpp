// Schedules that move pages (Schedule::moves_pages): which modes of the profile they need, and their plans, which
// are about tensors cut into parts and tasks in slices.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/pipeline.hpp"
#include "cli/remarks.hpp"
#include "simulator/schedules/sub_batch.hpp"

namespace ooc {

/// `rounds` is never null where there is a plan: it holds the graph and the costs of the parts.
[[nodiscard]] RoundsResult plan_in_pages(const Case& which, const Schedule& schedule, Bytes budget,
                                         SubBatch sub_batch);

/// "unified_prefetch" for one that uses it, "unified_fault" for others that move pages, else `given`.
[[nodiscard]] std::string transfer_mode(const Schedule& schedule, const std::string& given);
/// SpecError at the mode that the profile lacks, and at --devices: pages are one device's.
void check_pages(const Schedule& schedule, const Machine& machine, const CaseOptions& options);
/// What a list on the command line means there: of "all" those that run on every one of the machines, with
/// one remark that names the others and why, unless all machines say that they cannot have what these need;
/// else all of them are checked.
[[nodiscard]] std::vector<const Schedule*> runnable(std::vector<const Schedule*> chosen, bool all,
                                                    std::span<const Machine> machines,
                                                    const CaseOptions& options, Remarks remarks);

}  // namespace ooc
