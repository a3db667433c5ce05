// OOC-Paleo's equations for a case that ran.
#pragma once

#include "simulator/predict/case.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// Gives the reason if the equations do not apply to the job. Precondition: the run took place.
[[nodiscard]] Equations run_equations(const Case& which, const Schedule& schedule,
                                      const CaseRun& run);

}  // namespace ooc
