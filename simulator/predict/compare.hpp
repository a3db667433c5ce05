// All schedules for one job, each run as `predict` runs it: the function behind `compare`. Neither
// parses flags nor prints.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "simulator/predict/case.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

struct CompareRequest {
  const Case& which;
  std::span<const Schedule* const> chosen;
};

struct Comparison {
  /// A row for each schedule in their order. Then in-core with gradient accumulation, if the batch can be cut and any row may accumulate.
  std::vector<RunReport> rows;
  std::vector<std::string> left_out;  ///< reasons why that last row is missing
};

[[nodiscard]] Comparison compare(const CompareRequest& request);

}  // namespace ooc
