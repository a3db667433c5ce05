// What would help most: the same job again with one thing better at a time.
#pragma once

#include <optional>
#include <vector>

#include "simulator/predict/case.hpp"

namespace ooc {

/// What the job takes; none: it does not fit.
[[nodiscard]] std::optional<Duration> iteration_time_of(const Workload& workload,
                                                        const Machine& machine,
                                                        const CaseOptions& options,
                                                        const Schedule& schedule);

/// link x 2, memory x 1.25, compute x 2, in this order, each against `report`. Empty where the job
/// does not fit: there the smallest budget says what helps.
[[nodiscard]] std::vector<WhatIf> what_if(const Workload& workload, const Machine& machine,
                                          const CaseOptions& options, const Schedule& schedule,
                                          const RunReport& report);

/// What the last gigabyte of memory and the last GB/s of the link are worth: the run without them, or without a quarter
/// where there is no more than four. Empty where the job does not fit.
[[nodiscard]] std::vector<WhatIf> worth_of_last(const Workload& workload, const Machine& machine,
                                                const CaseOptions& options,
                                                const Schedule& schedule, const RunReport& report);

}  // namespace ooc
