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

void put_file(JsonWriter& json, const FigureFile& file) {
  json.member("id", file.id).member("title", file.title).member("source", file.source);
  json.member("conditions", if_any(file.conditions)).member("axis", if_any(file.axis));
  json.member("file", file.file);
}

void put_errors(JsonWriter& json, const ErrorStatistics& errors) {
  json.member("n", static_cast<std::int64_t>(errors.count)).member("mean", errors.mean);
  json.member("median", errors.median).member("largest", errors.largest);
  json.member("bias", errors.bias);
}

void put_kind(JsonWriter& json, const KindReport& kind) {
  json.member("kind", kind_name(kind.kind));
  if (kind.group.empty()) {
    json.member("of", kind.networks ? "networks in core" : "published figures");
  } else {
    json.member("group", kind.group);
  }
  json.member("figures", static_cast<std::int64_t>(kind.figures));
  if (!kind.networks) {
    json.member("judged", static_cast<std::int64_t>(kind.judged));
    json.member("holds", static_cast<std::int64_t>(kind.hold));
  }
  if (kind.errors.count > 0) put_errors(json, kind.errors);
}

void put_measured(JsonWriter& json, const MeasuredSetReport& set) {
  json.member("id", set.id).member("title", set.title).member("source", set.source);
  json.member("conditions", if_any(set.conditions)).member("file", set.file);
  json.member("kind", kind_name(set.kind)).member("goal", set.goal);
  put_errors(json, set.errors);
  json.objects("rows", set.rows, [&](const MeasuredRowReport& row) {
    json.member("row", row.label).member("predicted_s", row.predicted_s);
    json.member("measured_s", row.measured_s).member("deviation", row.deviation());
  });
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
  const auto put = [&](const KindReport& kind) { put_kind(json, kind); };
  json.objects("kinds", kinds_of(report), put).objects("groups", groups_of(report), put).end();
  json.objects("measured_networks", report.measured,
               [&](const MeasuredSetReport& set) { put_measured(json, set); });
  json.objects("files", report.files,
               [&](const FigureFileReport& file) { put_file(json, file.file); });
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
