// Range of the answer if reported link rates differ: the job with all rates at their lower ends,
// and at their upper ends.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/predict/case.hpp"

namespace ooc {

/// Returns the range of `report`'s iteration time over the rate ranges of the mode in use. Unset:
/// no range, a rate by --link, an end that does not fit or is refused, or times within 0.1 %.
[[nodiscard]] std::optional<TimeRange> range_of_time(const Workload& workload,
                                                     const Machine& machine,
                                                     const CaseOptions& options,
                                                     const Schedule& schedule,
                                                     const RunReport& report);

/// Returns a remark on several runs on one machine: "reports of the link's rate differ, to_near 346
/// GB/s to 421 GB/s; ...". Empty: no range, a rate by --link, or nothing moves.
[[nodiscard]] std::string ranges_remark(const HardwareProfile& hardware,
                                        const std::vector<RunReport>& reports);

}  // namespace ooc
