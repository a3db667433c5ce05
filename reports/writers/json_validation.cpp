// The JSON of a validation (docs/formats.md, 8): every row with its job, numbers in the row's unit.
#include <cmath>

#include "reports/writers/json_parts.hpp"
#include "reports/writers/validation_text.hpp"

namespace ooc {
namespace {

void put_asked(JsonWriter& json, const Asked& asked) {
  json.member("command", asked.command).member("metric", asked.metric).begin_object("job");
  for (const auto& [flag, value] : asked.job) {
    if (value.empty()) {
      json.member(flag, true);
    } else {
      json.member(flag, value);
    }
  }
  json.end();
}

void put_figure(JsonWriter& json, const Figure& figure, std::optional<double> value) {
  if (value && figure.is_truth && !std::isnan(*value)) {
    json.value(*value != 0);
  } else {
    json.value(value);
  }
}

void put_row(JsonWriter& json, const FigureFile& file, const FigureReport& row) {
  const Figure& figure = row.figure;
  json.member("id", file.id).member("name", figure.name).member("at", if_any(figure.at));
  put_asked(json, figure.asked);
  if (figure.against) {
    json.begin_object(figure.is_difference ? "minus" : "against");
    put_asked(json, *figure.against);
    json.end();
  }
  json.member("unit", figure.unit).member("kind", kind_name(figure.kind));
  put_figure(json.member("group", if_any(figure.group)).key("predicted"), figure, row.predicted);
  put_figure(json.key("published"), figure, figure.published);
  json.member("deviation", row.deviation).member("tolerance", figure.tolerance);
  json.member("low", figure.low).member("high", figure.high);
  json.member("verdict", verdict_key(row.verdict)).member("source", figure.source);
  json.member("note", if_any(row.why.empty() ? figure.note : row.why));
  json.member("known", if_any(figure.known));
}

/// Of a FigureFile or a MeasuredSet.
template <class File>
void put_head(JsonWriter& json, const File& file) {
  json.member("id", file.id).member("title", file.title).member("source", file.source);
  json.member("conditions", if_any(file.conditions)).member("file", file.document->file);
}

void put_errors(JsonWriter& json, const ErrorStatistics& errors) {
  json.member("n", static_cast<std::int64_t>(errors.count)).member("mean", errors.mean);
  json.member("median", errors.median).member("largest", errors.largest);
  json.member("bias", errors.bias);
}

void put_line(JsonWriter& json, const ErrorLine& line) {
  json.member("kind", kind_name(line.kind));
  if (line.name.empty()) {
    json.member("of", line.networks ? "networks in core" : "published figures");
  } else {
    json.member("group", line.name);
  }
  json.member("figures", static_cast<std::int64_t>(line.figures));
  if (!line.networks) {
    json.member("judged", static_cast<std::int64_t>(line.judged));
    json.member("holds", static_cast<std::int64_t>(line.hold));
  }
  if (!line.deviations.empty()) put_errors(json, error_statistics(line.deviations));
}

void put_measured(JsonWriter& json, const MeasuredSetReport& each) {
  put_head(json, each.set);
  const std::vector<double> deviations = each.deviations();
  json.member("kind", kind_name(each.set.kind)).member("goal", each.set.goal);
  put_errors(json, error_statistics(deviations));
  json.begin_list("rows");
  for (std::size_t i = 0; i < deviations.size(); ++i) {
    const MeasuredNetwork& row = each.set.rows[i];
    json.begin_object().member("row", label_of(each.set, row));
    json.member("predicted_s", each.predicted_s[i]).member("measured_s", row.seconds);
    json.member("deviation", deviations[i]).end();
  }
  json.end();
}

}  // namespace

std::string json_validation(const ValidationReport& report, const WriteOptions& options) {
  std::string text;
  JsonWriter json(text);
  begin_result(json, "ooc-paleo/validation", options.tool);
  json.begin_object("summary");
  const auto count = [&](const char* key, Verdict verdict, std::optional<FigureKind> kind = {}) {
    json.member(key, static_cast<std::int64_t>(count_of(report, verdict, kind)));
  };
  count("holds", Verdict::kHolds);
  count("fails", Verdict::kFails);
  count("order_fails", Verdict::kFails, FigureKind::kOrder);
  count("fails_known", Verdict::kKnown);
  count("marked_but_holds", Verdict::kUnexpected);
  count("reported", Verdict::kReported);
  const auto put = [&](const ErrorLine& line) { put_line(json, line); };
  json.objects("kinds", by_kind(report), put).objects("groups", by_group(report), put).end();
  json.objects("measured_networks", report.measured,
               [&](const MeasuredSetReport& set) { put_measured(json, set); });
  json.objects("files", report.files, [&](const FigureFileReport& each) {
    put_head(json, each.file);
    json.member("axis", if_any(each.file.axis));
  });
  json.begin_list("rows");
  for (const FigureFileReport& file : report.files) {
    for (const FigureReport& row : file.rows) {
      json.begin_object();
      put_row(json, file.file, row);
      json.end();
    }
  }
  json.end().end();
  return std::move(text) + "\n";
}

}  // namespace ooc
