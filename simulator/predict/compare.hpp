// All schedules for one job, treated alike: the function behind the command `compare`. It neither
// parses flags nor prints. Why so: docs/adr/0011-compare-treats-alike.md.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "simulator/predict/case.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

/// With which algorithms a schedule runs that does not choose them itself.
enum class CompareAlgorithms {
  kAsGiven,   ///< Case::schedule_options
  kBestOfAll  ///< by each rule; the quicker run that fits is shown
};

struct CompareRequest {
  const Case& which;
  std::span<const Schedule* const> chosen;
  CompareAlgorithms algorithms = CompareAlgorithms::kBestOfAll;
};

struct Comparison {
  /// A row for each schedule in their order, at once where --sub-batch does not say otherwise; then those
  /// in rounds.
  std::vector<RunReport> rows;
  std::vector<std::string> left_out;  ///< rows in rounds that cannot be had, and why
};

[[nodiscard]] Comparison compare(const CompareRequest& request);

}  // namespace ooc
