// How far the answer reaches where reports of the link's rates differ: the same job with all of them at
// the lower end of their ranges, and at the upper end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/predict/case.hpp"

namespace ooc {

/// The range of `report`'s iteration time over the ranges that the profile has for rates of the mode in use.
/// None where there are none, where --link gives the rate, where an end does not fit or is refused, and
/// where the time is the same within a thousandth.
[[nodiscard]] std::optional<TimeRange> range_of_time(const Workload& workload,
                                                     const Machine& machine,
                                                     const CaseOptions& options,
                                                     const Schedule& schedule,
                                                     const RunReport& report);

/// Of several runs on one machine: "reports of the link's rate differ, to_near 346 GB/s to 421 GB/s; ...".
/// Empty where no rate of their mode has a range, where --link gives the rate, and where nothing moves.
[[nodiscard]] std::string ranges_remark(const HardwareProfile& hardware,
                                        const std::vector<RunReport>& reports);

}  // namespace ooc
