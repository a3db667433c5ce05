// The CSV of a validation: one line a figure, numbers in base units (bytes, ns, ratios) so that a column
// can be computed with.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "reports/writers/csv.hpp"
#include "reports/writers/validation_text.hpp"
#include "reports/writers/writer.hpp"

namespace ooc {
namespace {

// Bytes and nanoseconds to the last digit, ratios as short as they come back.
std::string csv_number(double value) {
  if (!std::isfinite(value)) return "";
  const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{}", value);
}
std::string csv_number(const std::optional<double>& value) {
  return value ? csv_number(*value) : "";
}

// All that are compared, in one field.
std::string predictions(const PointReport& point) {
  std::string text;
  for (const double each : point.predicted) text += (text.empty() ? "" : ";") + csv_number(each);
  return text;
}

}  // namespace

std::string csv_validation(const ValidationReport& report, const WriteOptions&) {
  std::string text =
      "row,check,point,use,rule,predicted,reference,deviation,tolerance,low,high,verdict,unit,"
      "source,file,kind\n";
  for (const MeasuredSetReport& set : report.measured) {
    for (const MeasuredRowReport& row : set.rows) {
      text += fmt::format("{},{},{},,,{},{},{},,,,,s,{},{},{}\n", csv_field(set.id),
                          csv_field(set.title), csv_field(row.label), csv_number(row.predicted_s),
                          csv_number(row.measured_s), csv_number(row.deviation()),
                          csv_field(set.source), csv_field(set.file), kind_name(set.kind));
    }
  }
  for (const RowReport& row : report.rows) {
    for (const CheckReport& check : row.checks) {
      for (const PointReport& point : check.points) {
        text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(row.id),
                            csv_field(check.name), csv_field(point.point), use_name(check.use),
                            csv_field(check.rule), predictions(point), csv_number(point.published),
                            csv_number(point.deviation), csv_number(check.tolerance),
                            csv_number(point.low), csv_number(point.high),
                            verdict_key(point.verdict), csv_field(check.unit),
                            csv_field(row.source), csv_field(row.file), kind_name(check.kind));
      }
    }
  }
  return text;
}

}  // namespace ooc
