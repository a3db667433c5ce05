#include "simulator/predict/sweep_worker.hpp"

#include "simulator/predict/framework_choice.hpp"

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
    take_unit(place);
    unit_at_ = unit;
  } else {
    apply_prices(grid_, place, options_);
  }
  case_->transfers = transfers_of(options_);
  repeat_prices(case_->transfers, case_->inputs);
  case_->inputs.far_compute = options_.far_compute;
  price_copies(*case_, options_.far_compute);
  if (!run_) run_.emplace(*case_, *schedule_, Detail::kTotals);
  return run_->row();
}

void SweepWorker::take_unit(const SweepPlace& place) {
  run_.reset();
  options_ = options_at(grid_, inputs_, place);
  schedule_ = &schedule_at(grid_, place);
  RunInputs& row = case_->inputs;
  row.memory = case_->budget = budget_of(options_, case_->hardware);
  row.memory_given = options_.memory.has_value();
  row.far_memory = case_->far_capacity = far_capacity_of(options_, case_->hardware);
  row.far_memory_given = options_.far_memory.has_value();
  name_row(grid_, inputs_, place, row);
}

}  // namespace ooc
