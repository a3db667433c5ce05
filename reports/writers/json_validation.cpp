// The JSON of a validation (docs/formats.md, 8): every row with its job, numbers in the row's unit.
#include "reports/writers/json_parts.hpp"
#include "reports/writers/validation_text.hpp"

namespace ooc {
namespace {

void put_head(JsonWriter& json, const FigureFile& file) {
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

void put_networks(JsonWriter& json, const FileReport& set) {
  put_head(json, set.file);
  json.member("kind", kind_name(set.rows.front().figure.kind)).member("goal", set.goal);
  put_errors(json, errors_of(set));
  json.objects("rows", set.rows, [&](const FigureReport& row) {
    json.member("row", row.figure.name).member("predicted_s", row.predicted);
    json.member("measured_s", row.figure.published).member("deviation", row.deviation);
  });
}

template <class Put>
void put_files(JsonWriter& json, std::string_view key, const ValidationReport& report,
               bool networks, Put put) {
  json.begin_list(key);
  for (const FileReport& file : report.files) {
    if (file.networks == networks) put(file);
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
  json.objects("kinds", by_kind(report), put).objects("groups", by_group(report), put);
  json.objects("jobs", by_job_kind(report), [&](const ErrorLine& line) {
    put(line);
    const ErrorStatistics errors = error_statistics(line.deviations);
    json.member("lowest", errors.lowest).member("highest", errors.highest);
  });
  json.end();
  put_files(json, "measured_networks", report, true, [&](const FileReport& file) {
    json.begin_object();
    put_networks(json, file);
    json.end();
  });
  put_files(json, "files", report, false, [&](const FileReport& file) {
    json.begin_object();
    put_head(json, file.file);
    json.member("axis", if_any(file.file.axis));
    if (!file.file.left_out.empty()) {
      json.objects("left_out", file.file.left_out, [&](const LeftOut& each) {
        json.member("figures", static_cast<std::int64_t>(each.figures));
        json.member("reason", each.reason);
      });
    }
    json.end();
  });
  put_files(json, "rows", report, false, [&](const FileReport& file) {
    for (const FigureReport& row : file.rows) {
      json.begin_object();
      for (const auto& [name, value] : cells_of(file.file, row)) put_metric(json, name, value);
      json.end();
    }
  });
  json.end();
  return std::move(text) + "\n";
}

}  // namespace ooc
