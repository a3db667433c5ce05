// Progress of searches over a second, on a terminal, rewritten in place: "best: 1200 of 3000 plans
// tried, 1.561 s so far".
#pragma once

#include <memory>

#include "cli/remarks.hpp"
#include "simulator/schedules/schedule_options.hpp"

namespace ooc {

/// Shows the progress of searches with these options while the result lives. Shows nothing if
/// standard error is no terminal or remarks are not wanted.
[[nodiscard]] std::shared_ptr<void> show_searches(ScheduleOptions& options, Remarks remarks);

}  // namespace ooc
