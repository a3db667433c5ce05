// A row of a validation as columns, and their CSV: one line a figure or network, numbers in the row's unit.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "reports/writers/csv.hpp"
#include "reports/writers/validation_text.hpp"
#include "reports/writers/writer.hpp"

namespace ooc {
namespace {

MetricValue text_of(const std::string& text) {
  return text.empty() ? MetricValue{} : MetricValue{text};
}

MetricValue number_of(const std::optional<double>& number, bool is_truth = false) {
  if (!number || std::isnan(*number)) return {};
  return is_truth ? MetricValue{*number != 0} : MetricValue{*number};
}

MetricValue command_of(const std::optional<Asked>& asked) {
  if (!asked || asked->job.empty()) return {};  // of a measured network
  return fmt::format("{}", fmt::join(words_of(*asked), " "));
}

}  // namespace

std::vector<std::pair<std::string_view, MetricValue>> cells_of(const FigureFile& file,
                                                               const FigureReport& row) {
  const Figure& figure = row.figure;
  return {{"id", file.id},
          {"name", figure.name},
          {"at", text_of(figure.at)},
          {"kind", std::string(kind_name(figure.kind))},
          {"group", text_of(figure.group)},
          {"predicted", number_of(row.predicted, figure.is_truth)},
          {"published", number_of(figure.published, figure.is_truth)},
          {"unit", figure.unit},
          {"deviation", number_of(row.deviation)},
          {"tolerance", number_of(figure.tolerance)},
          {"low", number_of(figure.low)},
          {"high", number_of(figure.high)},
          {"verdict", std::string(verdict_key(row.verdict))},
          {"job", command_of(figure.asked)},
          {"metric", text_of(figure.asked.metric)},
          {"relation", text_of(!figure.against        ? ""
                               : figure.is_difference ? "minus"
                                                      : "against")},
          {"other_job", command_of(figure.against)},
          {"other_metric", figure.against ? text_of(figure.against->metric) : MetricValue{}},
          {"source", figure.source},
          {"note", text_of(row.why.empty() ? figure.note : row.why)},
          {"known", text_of(figure.known)}};
}

std::string csv_validation(const ValidationReport& report, const WriteOptions&) {
  std::string text;
  for (const FileReport& file : report.files) {
    for (const FigureReport& row : file.rows) {
      std::vector<std::string> names;
      std::vector<std::string> cells;
      for (const auto& [name, value] : cells_of(file.file, row)) {
        names.emplace_back(name);
        cells.push_back(csv_field(metric_text(value)));
      }
      if (text.empty()) text = fmt::format("{}\n", fmt::join(names, ","));
      text += fmt::format("{}\n", fmt::join(cells, ","));
    }
  }
  return text;
}

}  // namespace ooc
