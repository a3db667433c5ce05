// What OOC-Paleo's closed forms say of a run that was simulated: the iteration as a chain of layers, by the
// equations of model/analytic, and in words what those leave out of this run.
#pragma once

#include <optional>

#include "model/analytic/closed_forms.hpp"
#include "model/base/copy_rules.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

struct PaperEstimateInput {
  ClosedForm form = ClosedForm::kNone;
  const TrainingGraph& graph;  ///< of which the plan is
  const CostTable& costs;
  const Plan& plan;         ///< one that runs
  std::int64_t rounds = 1;  ///< that the plan has
  bool pageable = false;    ///< copies and computing exclude each other
  CopyRules copies = {};    ///< of the framework
  bool notes = true;        ///< whether what is left out is wanted
};

/// None where the schedule has no closed form.
[[nodiscard]] std::optional<PaperEstimate> paper_estimate(const PaperEstimateInput& input);

}  // namespace ooc
