// What `max` says as plain data: for every schedule the largest batch that ran, or the most copies of
// the repeat that scales, and what one more lacks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/network/network.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// Of what the largest is looked for.
enum class MaxOf { kBatch, kLayers };
/// "batch", "layers": as in --of.
[[nodiscard]] std::string_view max_of_word(MaxOf of);

/// Why nothing larger was found.
enum class BatchLimit {
  kNearMemory,
  kFarMemory,
  kCounting,  ///< sizes or times too large to be counted exactly
  kSearch,    ///< nothing: the largest that was to be tried fits
  kRounds,    ///< nothing: rounds of the size asked for fit, however many
};
/// "near_memory", ...: the names of the result format.
[[nodiscard]] std::string_view limit_word(BatchLimit limit);

struct MaxBatchRow {
  std::string schedule;
  std::string options;  ///< of the schedule, where they are not the defaults
  /// Samples in one round, or copies of the repeat; 0: none fits.
  std::int64_t largest = 0;
  BatchLimit limit = BatchLimit::kSearch;
  /// At `largest`, as `predict` runs it: in rounds, where the schedule is quicker so. Totals.
  std::optional<RunReport> run;
  // Of the smallest batch above that was found to fail; where there is one.
  std::int64_t failing = 0;
  std::optional<OutOfMemory> out_of_memory;
  std::optional<Bytes> lacks;
  /// Any larger batch runs too, in rounds of at most `largest` samples; that of one more was run.
  bool any_in_rounds = false;
  /// Whatever is larger than what fails fails as well. If not, the next few were tried.
  bool monotone = true;
  int attempts = 0;  ///< sizes tried
};

struct MaxBatchReport {
  MaxOf of = MaxOf::kBatch;
  ScalingRepeat repeat = {};  ///< of layers: what is copied, and how often in the file
  RunInputs inputs;           ///< without schedule and options; of batches without those, too
  std::int64_t limit = 1;     ///< nothing larger was tried
  std::vector<MaxBatchRow> rows;
  std::vector<std::string> assumed;
  std::vector<std::string> remarks;
};

/// How much larger than with in-core, where that is among the rows and anything fits in it.
[[nodiscard]] std::optional<double> gain_over_in_core(const MaxBatchReport& report,
                                                      const MaxBatchRow& row);

/// Indices of the rows: largest first, then most samples a second. Equals keep their order.
[[nodiscard]] std::vector<std::size_t> best_first(const MaxBatchReport& report);

}  // namespace ooc
