// All schedules for one job, each run as `predict` runs it: the function behind the command `compare`. It neither
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
  /// A row for each schedule in their order; then in-core in rounds, where the batch can be cut and rounds are in play.
  std::vector<RunReport> rows;
  std::vector<std::string> left_out;  ///< a row in rounds that cannot be had, and why
};

[[nodiscard]] Comparison compare(const CompareRequest& request);

}  // namespace ooc
