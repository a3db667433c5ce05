// Table of metrics: one line for each number of a prediction, in the order of the result format
// (docs/formats.md, 5). JSON, CSV and sweep rows are made from it, so a new metric is one line in
// metrics.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "simulator/summary/run_report.hpp"

namespace ooc {

/// Value of a metric. monostate: unknown, as for most numbers of a job that does not fit. JSON
/// writes null, CSV an empty field.
using MetricValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

struct Metric {
  std::string_view name;  ///< unique name with unit: column of CSV and sweeps
  MetricValue (*read)(const RunReport& report);
  std::string_view group = {};  ///< JSON: object that has the value ("stalls_ns"); empty: top level
  /// JSON: key of the value; unset: `name`; empty: JSON of a run has the value elsewhere.
  std::optional<std::string_view> own_key = {};
  /// True: CSV has the column even without a value. False or null: only with a value, or if RunInputs::columns has it.
  bool (*is_there)(const RunInputs& inputs) = [](const RunInputs&) { return true; };

  [[nodiscard]] constexpr std::string_view key() const { return own_key.value_or(name); }
};

/// Returns the table: metrics of the job, of its result, of a job that does not fit, and of inputs that few jobs have.
[[nodiscard]] std::span<const Metric> metrics();
/// Returns the columns that a row with these inputs has whatever its result is, in the order of metrics().
[[nodiscard]] std::vector<const Metric*> columns_for(const RunInputs& inputs);
/// True if the row of this report has the column (Metric::is_there).
[[nodiscard]] bool is_given(const Metric& column, const RunReport& report);

/// Returns the text for CSV and SQLite: plain decimal, no grouping, "" for monostate, "true" or "false".
[[nodiscard]] std::string metric_text(const MetricValue& value);

}  // namespace ooc
