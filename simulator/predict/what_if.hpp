// Repetitions of a job with one improvement each, to find what helps most.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/predict/case.hpp"

namespace ooc {

/// Returns the iteration time; unset: does not fit.
[[nodiscard]] std::optional<Duration> iteration_time_of(const Workload& workload,
                                                        const Machine& machine,
                                                        const CaseOptions& options,
                                                        const Schedule& schedule);

/// Returns link x 2, memory x 1.25 and compute x 2, in this order, each against `report`. Empty if
/// the job does not fit; its smallest budget then tells what helps.
[[nodiscard]] std::vector<WhatIf> what_if(const Workload& workload, const Machine& machine,
                                          const CaseOptions& options, const Schedule& schedule,
                                          const RunReport& report);

// Range of the answer if reported link rates differ: the job with all rates at their lower ends,
// and at their upper ends.

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
