// The rows of CSV results, for `predict`, `compare` and, row by row, for sweeps (RFC 4180: fields
// with a comma, a quote or a line break are quoted). Lines end with "\n", which RFC 4180's readers
// take.
#pragma once

#include <string>
#include <string_view>

#include "simulator/summary/metrics.hpp"

namespace ooc {

/// The names of columns_for() with a line end.
[[nodiscard]] std::string csv_header(const RunInputs& inputs);
/// One result as a line with its end.
[[nodiscard]] std::string csv_row(const RunReport& report);
/// The same behind what `out` has, without the end: sweeps have many.
void add_csv_fields(std::string& out, const RunReport& report);
/// A value of the column of that name.
void add_csv_value(std::string& out, const MetricValue& value, std::string_view name);
/// The same of a configuration that has no result: what was asked for, and empty fields.
[[nodiscard]] std::string csv_row(const RunInputs& inputs);
/// A text as CSV shows it: other control characters than tabs and line breaks as \u202e, backslashes doubled,
/// and a ' before what a spreadsheet would run as a formula (= + - @, a tab, and the ' itself). No two texts
/// become one.
[[nodiscard]] std::string csv_text(std::string_view name);
/// The same as a field, quoted where RFC 4180 asks for it.
[[nodiscard]] std::string csv_field(std::string_view name);

}  // namespace ooc
