#include "simulator/predict/run_equations.hpp"

#include "simulator/predict/paged_plan.hpp"
#include "simulator/summary/equations.hpp"

namespace ooc {

Equations run_equations(const Case& which, const Schedule& schedule, const CaseRun& run) {
  if (which.moving) return {.unfit = "they are about activations, and here state moves"};
  TransferOptions transfers = which.transfers;
  const std::string mode = transfer_mode(schedule, std::string(copy_mode_name(transfers.mode)));
  transfers.mode = copy_mode_named(mode).value_or(transfers.mode);
  return equations_of({.form = schedule.closed_form,
                       .graph = run.graph(which),
                       .costs = run.costs(which),
                       .plan = std::get<Plan>(run.plan),
                       .timeline = std::get<Timeline>(*run.outcome),
                       .rounds = run.rounds ? run.rounds->count : 1,
                       .budget = which.budget,
                       .rates = swap_in_rates(which.hardware, transfers)});
}

}  // namespace ooc
