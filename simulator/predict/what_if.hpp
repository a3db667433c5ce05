// Repetitions of a job with one improvement each, to find what helps most.
#pragma once

#include <vector>

#include "simulator/predict/case.hpp"

namespace ooc {

/// Returns link x 2, memory x 1.25 and compute x 2, in this order, each against `report`. Empty if
/// the job does not fit; its smallest budget then tells what helps.
[[nodiscard]] std::vector<WhatIf> what_if(const Workload& workload, const Machine& machine,
                                          const CaseOptions& options, const Schedule& schedule,
                                          const RunReport& report);

}  // namespace ooc
