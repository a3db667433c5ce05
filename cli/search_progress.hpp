// "best: 1200 of 3000 plans tried, 1.561 s so far" on a terminal, rewritten in place, of searches that take longer than a
// second.
#pragma once

#include <memory>

#include "cli/remarks.hpp"
#include "simulator/schedules/schedule_options.hpp"

namespace ooc {

/// Has searches with these options tell how far they are for as long as the result lives. Shows nothing when standard
/// error is no terminal or remarks are not wanted.
[[nodiscard]] std::shared_ptr<void> show_searches(ScheduleOptions& options, Remarks remarks);

}  // namespace ooc
