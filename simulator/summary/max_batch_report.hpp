// What `max-batch` says as plain data: for every schedule the largest batch that ran, and what the
// batch above it lacks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/summary/run_report.hpp"

namespace ooc {

/// Why no larger batch was found.
enum class BatchLimit {
  kNearMemory,
  kFarMemory,
  kCounting,  ///< sizes or times too large to be counted exactly
  kSearch,    ///< nothing: the largest batch that was to be tried fits
  kRounds,    ///< nothing: rounds of the size asked for fit, however many
};
/// "near_memory", ...: the names of the result format.
[[nodiscard]] std::string_view limit_word(BatchLimit limit);

struct MaxBatchRow {
  std::string schedule;
  std::string options;     ///< of the schedule, where they are not the defaults
  std::int64_t batch = 0;  ///< in one round; 0: none fits
  BatchLimit limit = BatchLimit::kSearch;
  /// At `batch`, as `predict` runs it: in rounds, where the schedule is quicker so. Totals.
  std::optional<RunReport> run;
  // Of the smallest batch above that was found to fail; where there is one.
  std::int64_t failing = 0;
  std::optional<OutOfMemory> out_of_memory;
  std::optional<Bytes> lacks;
  /// Any larger batch runs too, in rounds of at most `batch` samples; that of `batch` + 1 was run.
  bool any_in_rounds = false;
  /// Whatever is larger than what fails fails as well. If not, the next few were tried.
  bool monotone = true;
  int attempts = 0;  ///< batches tried
};

struct MaxBatchReport {
  RunInputs inputs;        ///< without batch, schedule and options
  std::int64_t limit = 1;  ///< nothing larger was tried
  std::vector<MaxBatchRow> rows;
  std::vector<std::string> assumed;
  std::vector<std::string> remarks;
};

/// Indices of the rows: largest batch first, then most samples a second. Equals keep their order.
[[nodiscard]] std::vector<std::size_t> best_first(const MaxBatchReport& report);

}  // namespace ooc
