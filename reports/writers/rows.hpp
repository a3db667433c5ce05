// Results that are rows: a run with its inputs and metrics, and a few columns more. `need`, `max` and `compare` say in
// such a table what they found, and which columns people see; the table, JSON and CSV of all of them are made here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/summary/metrics.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

struct WriteOptions;

struct ResultRow {
  std::vector<MetricValue> extra = {};  ///< by ResultRows::extra
  std::vector<RunReport> runs =
      {};  ///< the first one stands for the row; empty: none could be worked out
  std::vector<std::string> remarks = {};  ///< of RowRuns::kResults
  bool fails = false;                     ///< stands in the table of what fails
};

/// A column for people. It is left out where no row has a value there.
struct RowColumn {
  std::string title;
  std::string
      name;        ///< of an extra column, of a metric, or of what follows from metrics (rows.cpp)
  int leaves = 0;  ///< as in TextTable::Column
  std::string_view note = {};   ///< below the table, where the column is shown
  std::string_view usual = {};  ///< left out, too, where all rows have this text
  std::string (*show)(const MetricValue& value) = nullptr;  ///< null: by the unit in `name`
};

/// What JSON has of the runs of a row.
enum class RowRuns {
  kNumbers,  ///< metrics of the first, beside the extra columns
  kResult,   ///< the first as a result of its own
  kResults,  ///< all of them in a list
};

struct ResultRows {
  std::string_view format;  ///< "ooc-paleo/need"
  std::string_view list;    ///< JSON: the key of the rows
  RowRuns json_runs = RowRuns::kNumbers;
  std::string title;
  std::vector<std::string> head = {};  ///< lines below the title
  std::optional<RunInputs> inputs =
      {};                         ///< that all rows have in common; unset: each row has its own
  std::string_view without = {};  ///< the input that rows differ in, beside the schedule
  std::vector<std::pair<std::string_view, MetricValue>> facts = {};  ///< of all rows, for programs
  std::vector<std::string_view> extra = {};  ///< takes the place of a metric of the same name
  std::vector<ResultRow> rows = {};          ///< best first
  // For people: columns, notes below them, a second table of the same rows, and that of what fails.
  std::vector<RowColumn> columns = {};
  std::string notes = {};  ///< each with its line end
  std::vector<RowColumn> wide_columns = {};
  std::vector<RowColumn> failing_columns = {};
  std::string failing_title = "Does not fit";
  std::string more = {};
  std::vector<std::string> remarks = {};
};

/// "vgg16 on v100-16gb-pcie3, batch 256, framework ideal (no overhead, exact memory)"; of rows that differ in it without
/// batch or hardware.
[[nodiscard]] std::string job_text(const RunInputs& inputs, bool with_hardware = true,
                                   bool with_batch = true);
/// "capacity", "in-core, in rounds"
[[nodiscard]] std::string row_name(const RunReport& report);

[[nodiscard]] std::string table_rows(const ResultRows& rows, const WriteOptions& options);
[[nodiscard]] std::string json_rows(const ResultRows& rows, const WriteOptions& options);
[[nodiscard]] std::string csv_rows(const ResultRows& rows, const WriteOptions& options);

}  // namespace ooc
