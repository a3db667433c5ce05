// Runs a grid on several threads and returns rows in order: the same bytes for any number of threads.
//
// Work is split into pieces of up to kRowsPerPiece rows of one unit (study.hpp). Shared results are
// computed once: graphs at the start; costs from their first piece until their last is written; a
// plan by each thread that works on its unit. A row then needs copy costs, simulation and its
// text. A row that cannot be computed (for example sums too large to count) says so.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/errors.hpp"
#include "simulator/predict/scheduled_case.hpp"
#include "simulator/predict/study.hpp"

namespace ooc {

// Rows of a sweep on one thread, one after another in any order. Costs and plans shared with the row before are reused.

/// Function that returns make_costs() of a row, usually from a cache; throws SpecError if they cannot be computed.
using CostsOf = std::function<std::shared_ptr<const Case>(std::size_t row)>;

/// Returns a row's case without the row's values of AxisLevel::kPrices. Throws SpecError as workload_at(), make_case().
[[nodiscard]] std::shared_ptr<const Case> make_costs(const SweepGrid& grid,
                                                     const SweepInputs& inputs, std::size_t row);

class SweepWorker {
 public:
  /// Keeps references to `grid` and `inputs`.
  SweepWorker(const SweepGrid& grid, const SweepInputs& inputs, CostsOf costs)
      : grid_(grid), inputs_(inputs), costs_(std::move(costs)) {}

  /// Returns the report of a row, valid until the next call. Throws SpecError if the row cannot be computed.
  [[nodiscard]] const RunReport& at(std::size_t row);

 private:
  const SweepGrid& grid_;
  const SweepInputs& inputs_;
  CostsOf costs_;
  CaseOptions options_;                  ///< options of the last row
  std::optional<std::size_t> costs_at_;  ///< group of rows whose costs `case_` has; unset: none
  std::optional<std::size_t> unit_at_;   ///< unit of rows that `run_` is for; unset: none
  std::optional<Case> case_;
  std::optional<ScheduledCase> run_;
};

inline constexpr std::size_t kRowsPerPiece = 64;

/// Appends a row as text, on the thread that computed it. `error` set: the row failed; the report has only inputs.
using WriteRow = void (*)(std::string& out, const RunReport& report,
                          std::optional<std::string_view> error);

struct RowFormat {
  WriteRow row;
  std::string_view between;
};

/// Rows [begin, end) in the grid's order.
struct RowRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
};

/// Slowest links of a list at which the job takes at most 1 % and 5 % longer than its reference time; unset: none.
struct Knee {
  std::size_t row = 0;  ///< first of the rows that differ only in the link
  std::optional<BytesPerSecond> within_1_percent = {};
  std::optional<BytesPerSecond> within_5_percent = {};
};
/// True if the job fits and takes at most `percent` % longer than its reference time.
[[nodiscard]] bool is_within(const RunReport& report, int percent);

struct SweepSummary {
  std::size_t rows = 0;                            ///< number of rows written
  std::size_t fitting = 0;                         ///< number of rows that fit
  std::map<std::string, std::size_t> lacking;      ///< number of rows that lack "far memory", ...
  std::size_t failed = 0;                          ///< number of rows that could not be computed
  std::shared_ptr<const SpecError> first_failure;  ///< error of first failed row; null: none failed
  /// Knees of the first most_knees lines. A line is two or more rows, all written, that differ only in the link.
  std::vector<Knee> knees;
  std::size_t knees_in_all = 0;
  /// True if `stop` ended the run before all rows. Threads may still use the job's objects until
  /// their row ends, so the caller must end the process without freeing them.
  bool stopped = false;
};

struct SweepJob {
  const SweepGrid& grid;
  const SweepInputs& inputs;
  RowFormat format;
  unsigned threads = 1;
  std::size_t most_knees = std::numeric_limits<std::size_t>::max();  ///< limit on `knees`
  RowRange range = {};                                               ///< rows of the grid to run
  WriteRow page = nullptr;  ///< writes each row for SweepSink::page; null: no page
  std::size_t there = 0;    ///< number of first rows of `range` that only `page` writes
};

struct SweepSink {
  /// Receives the text of the next rows in order, and totals up to and with them.
  std::function<void(std::string_view text, const SweepSummary& so_far)> write;
  /// Returns true to stop the run; called often.
  std::function<bool()> stop;
  /// Receives what SweepJob::page wrote, with commas between rows; null: dropped.
  std::function<void(std::string_view text)> page = {};
};

[[nodiscard]] SweepSummary run_sweep(const SweepJob& job, const SweepSink& sink);

}  // namespace ooc
