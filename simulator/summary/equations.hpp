// Equations (2) to (12) of the OOC-Paleo paper for a run, each beside the simulated value, in execution order.
#pragma once

#include "model/analytic/closed_forms.hpp"
#include "model/cost/transfer_cost.hpp"
#include "model/rewrite/iteration.hpp"
#include "simulator/summary/run_report.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

struct EquationsInput {
  ClosedForm form = ClosedForm::kNone;  ///< formula for the total; kNone: equations (10) to (12)
  const Iteration& about;               ///< iteration that `plan` runs
  const Plan& plan;
  const Timeline& timeline;
  Bytes budget;  ///< GPU memory, static bytes included
  SwapInRates rates;
};

[[nodiscard]] Equations equations_of(const EquationsInput& input);

}  // namespace ooc
