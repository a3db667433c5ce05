// One row of a sweep after the other, on one thread, in any order: what a row shares with the one before it, costs or
// plan, is not made again. Behind run_sweep and the estimate of `sweep --dry-run`.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "simulator/predict/scheduled_case.hpp"
#include "simulator/predict/study.hpp"

namespace ooc {

/// The costs that a row needs, from whoever keeps them; SpecError where they cannot be made.
using CostsOf = std::function<std::shared_ptr<const Case>(std::size_t row)>;

/// Makes them.
[[nodiscard]] std::shared_ptr<const Case> make_costs(const SweepGrid& grid,
                                                     const SweepInputs& inputs, std::size_t row);

class SweepWorker {
 public:
  /// Refers to all of them.
  SweepWorker(const SweepGrid& grid, const SweepInputs& inputs, CostsOf costs)
      : grid_(grid), inputs_(inputs), costs_(std::move(costs)) {}

  /// The report stays until the next call. Throws SpecError for a row that cannot be worked out.
  [[nodiscard]] const RunReport& at(std::size_t row);
  /// The same row over an infinite link.
  [[nodiscard]] const RunReport& at_infinite_link(std::size_t row);

 private:
  void prepare(std::size_t row);
  void take_unit(const SweepPlace& place);
  const RunReport& run();

  const SweepGrid& grid_;
  const SweepInputs& inputs_;
  CostsOf costs_;
  CaseOptions options_;                  ///< of the row
  std::optional<std::size_t> costs_at_;  ///< which share of the rows `case_` is for
  std::optional<std::size_t> unit_at_;   ///< the same of `run_`
  std::optional<Case> case_;
  const Schedule* schedule_ = nullptr;
  std::optional<ScheduledCase> run_;
};

}  // namespace ooc
