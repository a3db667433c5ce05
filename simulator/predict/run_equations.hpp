// OOC-Paleo's equations for a case that ran.
#pragma once

#include "simulator/predict/case.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// Precondition: the run took place. Where the equations are not about such a job, the reason.
[[nodiscard]] Equations run_equations(const Case& which, const Schedule& schedule,
                                      const CaseRun& run);

}  // namespace ooc
