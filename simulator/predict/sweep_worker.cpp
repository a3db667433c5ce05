#include "simulator/predict/sweep_worker.hpp"

namespace ooc {

std::shared_ptr<const Case> make_costs(const SweepGrid& grid, const SweepInputs& inputs,
                                       std::size_t row) {
  const SweepPlace place = grid.place_at(row);
  // Without the prices of copies: what is wrong with this row's is not wrong with all.
  return std::make_shared<const Case>(make_case(workload_at(grid, inputs, place),
                                                machine_at(grid, inputs, place),
                                                options_at(grid, inputs, place, AxisLevel::kPlan)));
}

const RunReport& SweepWorker::at(std::size_t row) {
  const std::size_t costs = row / grid_.rows_sharing(AxisLevel::kCosts);
  const std::size_t unit = row / grid_.rows_of_unit();
  const SweepPlace place = grid_.place_at(row);
  if (costs_at_ != costs) {
    costs_at_.reset();
    unit_at_.reset();
    run_.reset();
    case_.emplace(*costs_(row));
    costs_at_ = costs;
  }
  if (unit_at_ != unit) {
    run_.reset();
    options_ = options_at(grid_, inputs_, place);
    ask_budgets(options_, *case_);
    name_row(grid_, inputs_, place, case_->inputs);
    unit_at_ = unit;
  } else {
    apply_prices(grid_, place, options_);
  }
  ask_prices(options_, *case_);
  if (!run_) run_.emplace(*case_, schedule_at(grid_, place), Detail::kTotals);
  return run_->row();
}

}  // namespace ooc
