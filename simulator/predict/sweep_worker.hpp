// Rows of a sweep on one thread, one after another in any order. Costs and plans shared with the
// row before are reused.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "simulator/predict/scheduled_case.hpp"
#include "simulator/predict/study.hpp"

namespace ooc {

/// Returns the costs of a row, from a cache; throws SpecError if they cannot be computed.
using CostsOf = std::function<std::shared_ptr<const Case>(std::size_t row)>;

/// Computes the costs of a row.
[[nodiscard]] std::shared_ptr<const Case> make_costs(const SweepGrid& grid,
                                                     const SweepInputs& inputs, std::size_t row);

class SweepWorker {
 public:
  /// Refers to all arguments.
  SweepWorker(const SweepGrid& grid, const SweepInputs& inputs, CostsOf costs)
      : grid_(grid), inputs_(inputs), costs_(std::move(costs)) {}

  /// Returns the report of a row, valid until the next call. Throws SpecError if it cannot be computed.
  [[nodiscard]] const RunReport& at(std::size_t row);

 private:
  const SweepGrid& grid_;
  const SweepInputs& inputs_;
  CostsOf costs_;
  CaseOptions options_;                  ///< options of the row
  std::optional<std::size_t> costs_at_;  ///< group of rows that `case_` is for
  std::optional<std::size_t> unit_at_;   ///< unit of rows that `run_` is for
  std::optional<Case> case_;
  std::optional<ScheduledCase> run_;
};

}  // namespace ooc
