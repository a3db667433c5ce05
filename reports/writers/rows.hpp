// Results in rows: runs with inputs and metrics, and a few extra columns. `need`, `max` and
// `compare` fill such a table and choose its columns for people. Table, JSON and CSV are made here.
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
  std::vector<MetricValue> extra = {};  ///< values, one for each of ResultRows::extra
  std::vector<RunReport> runs = {};  ///< the first represents the row; empty: could not be computed
  std::vector<std::string> remarks = {};  ///< about the machine; only JSON with kResults shows them
  bool fails = false;                     ///< true: shown in the table of failures
};

/// Column of the table for people. Columns without any value are left out.
struct RowColumn {
  std::string title;
  std::string name;             ///< extra column, metric, or value derived in rows.cpp ("row")
  int leaves = 0;               ///< order of removal, as in TextTable::Column
  std::string_view note = {};   ///< sentence below the table, if the column is shown
  std::string_view usual = {};  ///< text that hides the column if all rows have it
  std::string (*show)(const MetricValue& value) = nullptr;  ///< text; null: by the unit in `name`
};

/// Part of a row's runs that JSON contains.
enum class RowRuns {
  kNumbers,  ///< metrics of the first run, beside the extra columns
  kResult,   ///< the first run as a result of its own
  kResults,  ///< all runs in a list
};

struct ResultRows {
  std::string_view format;  ///< such as "ooc-paleo/need"
  std::string_view list;    ///< key of the rows in JSON
  RowRuns json_runs = RowRuns::kNumbers;
  std::string title;
  std::vector<std::string> head = {};    ///< lines below the title
  std::optional<RunInputs> inputs = {};  ///< JSON: common inputs; unset: each row has its own
  std::string_view without = {};  ///< JSON: further key left out of `inputs`, beside "schedule"
  /// JSON: members of the whole result, besides `inputs`.
  std::vector<std::pair<std::string_view, MetricValue>> facts = {};
  std::vector<std::string_view> extra = {};  ///< names of extra columns; replace metrics so named
  std::vector<ResultRow> rows = {};          ///< best first
  // For people: columns, notes below them, a table of failures.
  std::vector<RowColumn> columns = {};
  std::string notes = {};  ///< notes, each with a line end
  std::vector<RowColumn> failing_columns = {};
  std::string failing_title = "Does not fit";
  std::string more = {};
  std::vector<std::string> remarks = {};
};

/// Returns "vgg16 on v100-16gb-pcie3, batch 256, framework ideal (no overhead, exact memory)";
/// without hardware or batch if that argument is false.
[[nodiscard]] std::string job_text(const RunInputs& inputs, bool with_hardware = true,
                                   bool with_batch = true);
/// Returns the name of a row: "capacity", "in-core, in rounds".
[[nodiscard]] std::string row_name(const RunReport& report);

[[nodiscard]] std::string table_rows(const ResultRows& rows, const WriteOptions& options);
[[nodiscard]] std::string json_rows(const ResultRows& rows, const WriteOptions& options);
[[nodiscard]] std::string csv_rows(const ResultRows& rows, const WriteOptions& options);

// Comparisons as rows: a row for each schedule; or for each machine, link or preset of states, under its best schedule.

[[nodiscard]] ResultRows comparison_rows(const std::vector<RunReport>& reports,
                                         const WriteOptions& options);
[[nodiscard]] ResultRows machine_rows(const MachinesReport& report);

}  // namespace ooc
