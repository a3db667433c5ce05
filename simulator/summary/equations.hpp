// OOC-Paleo's equations (2) to (12) for a run, each beside what the run came to, in the order in which tasks run.
#pragma once

#include "model/analytic/closed_forms.hpp"
#include "model/cost/transfer_cost.hpp"
#include "simulator/summary/run_report.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

struct EquationsInput {
  ClosedForm form = ClosedForm::kNone;  ///< of the total; kNone: (10) to (12)
  const TrainingGraph& graph;           ///< of which the plan is
  const CostTable& costs;
  const Plan& plan;
  const Timeline& timeline;
  std::int64_t rounds = 1;  ///< that the plan has
  Bytes budget;             ///< of near memory
  SwapInRates rates;
};

[[nodiscard]] Equations equations_of(const EquationsInput& input);

}  // namespace ooc
