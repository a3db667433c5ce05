// Rows of CSV for `predict`, `compare` and sweeps (RFC 4180: fields with a comma, a quote or a line
// break are quoted). Lines end with "\n", which readers of RFC 4180 accept.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/summary/metrics.hpp"

namespace ooc {

/// One record by column name, for CSV and JSON alike.
using Cells = std::vector<std::pair<std::string_view, MetricValue>>;
/// Appends a record as a line. An empty text first gets a line with the column names.
void add_csv_line(std::string& text, const Cells& cells);

/// Returns the names of the columns of columns_for(inputs) as a line with its end.
[[nodiscard]] std::string csv_header(const RunInputs& inputs);
/// Returns one result as a line with its end, in the columns of csv_header(report.inputs).
[[nodiscard]] std::string csv_row(const RunReport& report);
/// Fields that have text. kInputs: fields that are no input stay empty, for a job without result.
enum class CsvFields { kAll, kInputs };
void add_csv_fields(std::string& out, const RunReport& report, CsvFields fields = CsvFields::kAll);
/// Appends a value of the column called `name`; 1e308 for an infinite rate.
void add_csv_value(std::string& out, const MetricValue& value, std::string_view name);
/// Returns a text safe for CSV, on one line: control characters except tabs as \u000a or \u202e,
/// backslashes doubled, and a ' before what a spreadsheet would run (= + - @, a tab, and ' itself).
/// Different texts stay different.
[[nodiscard]] std::string csv_text(std::string_view name);
/// Returns csv_text(name) as a field, quoted if RFC 4180 requires it.
[[nodiscard]] std::string csv_field(std::string_view name);
/// Returns the next field of `line`, without quotes, and removes it and its comma from `line`.
[[nodiscard]] std::string take_csv_field(std::string_view& line);

}  // namespace ooc
