// Schedules of a command line on machines that cannot run all of them.
#pragma once

#include <span>
#include <vector>

#include "cli/remarks.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

/// `all`: returns those that every machine can run, with one remark on the others, unless all
/// machines declare the missing modes impossible. Otherwise: checks every schedule (check_pages).
[[nodiscard]] std::vector<const Schedule*> runnable(std::vector<const Schedule*> chosen, bool all,
                                                    std::span<const Machine> machines,
                                                    const CaseOptions& options, Remarks remarks);

}  // namespace ooc
