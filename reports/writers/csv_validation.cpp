// The CSV of a validation: one line a figure, numbers in the row's unit.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <optional>

#include "reports/writers/csv.hpp"
#include "reports/writers/validation_text.hpp"
#include "reports/writers/writer.hpp"

namespace ooc {
namespace {

std::string number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? fmt::format("{}", *value) : "";
}

std::string command_line(const Asked& asked) {
  return csv_field(fmt::format("{}", fmt::join(words_of(asked), " ")));
}

}  // namespace

std::string csv_validation(const ValidationReport& report, const WriteOptions&) {
  std::string text =
      "id,row,kind,group,predicted,published,unit,deviation,tolerance,low,high,verdict,job,metric,"
      "against,against_metric,source,file\n";
  for (const MeasuredSetReport& each : report.measured) {
    const std::vector<double> deviations = each.deviations();
    for (std::size_t i = 0; i < deviations.size(); ++i) {
      const MeasuredNetwork& row = each.set.rows[i];
      text += fmt::format("{},{},{},,{},{},s,{},,,,,,,,,{},{}\n", csv_field(each.set.id),
                          csv_field(label_of(each.set, row)), kind_name(each.set.kind),
                          number(each.predicted_s[i]), number(row.seconds), number(deviations[i]),
                          csv_field(each.set.source), csv_field(each.set.document->file));
    }
  }
  for (const FigureFileReport& file : report.files) {
    for (const FigureReport& row : file.rows) {
      const Figure& figure = row.figure;
      text += fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(file.file.id),
          csv_field(label_of(figure)), kind_name(figure.kind), csv_field(figure.group),
          number(row.predicted), number(figure.published), csv_field(figure.unit),
          number(row.deviation), number(figure.tolerance), number(figure.low), number(figure.high),
          verdict_key(row.verdict), command_line(figure.asked), csv_field(figure.asked.metric),
          figure.against ? command_line(*figure.against) : "",
          figure.against ? csv_field(figure.against->metric) : "", csv_field(figure.source),
          csv_field(file.file.document->file));
    }
  }
  return text;
}

}  // namespace ooc
