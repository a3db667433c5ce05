// What a list of schedules on the command line means on machines that cannot run all of them.
#pragma once

#include <span>
#include <vector>

#include "cli/remarks.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

/// Of "all" those that run on every one of the machines, with one remark that names the others and why, unless all
/// machines say that they cannot have what these need; else all of them are checked (check_pages).
[[nodiscard]] std::vector<const Schedule*> runnable(std::vector<const Schedule*> chosen, bool all,
                                                    std::span<const Machine> machines,
                                                    const CaseOptions& options, Remarks remarks);

}  // namespace ooc
