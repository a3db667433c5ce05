// The JSON of a validation (docs/formats.md, 8): every figure of every row, numbers in the check's unit.
#include <cmath>

#include "reports/writers/json_parts.hpp"
#include "reports/writers/validation_text.hpp"

namespace ooc {
namespace {

void put_in_unit(JsonWriter& json, const CheckReport& check, const std::optional<double>& value) {
  if (value && check.truth && !std::isnan(*value)) {
    json.value(*value != 0);
  } else {
    json.value(value ? std::optional(*value / check.factor) : value);
  }
}

void put_point(JsonWriter& json, const CheckReport& check, const PointReport& point) {
  json.member("point", if_any(point.point)).begin_list("predicted");
  for (const double each : point.predicted) put_in_unit(json, check, each);
  put_in_unit(json.end().key("reference"), check, point.published);
  json.member("deviation", point.deviation);
  put_in_unit(json.key("low"), check, point.low);
  put_in_unit(json.key("high"), check, point.high);
  json.member("verdict", verdict_key(point.verdict)).member("note", if_any(point.note));
}

void put_check(JsonWriter& json, const CheckReport& check) {
  json.member("name", check.name).member("use", use_name(check.use));
  json.member("kind", kind_name(check.kind)).member("unit", check.unit);
  json.member("rule", check.rule).member("tolerance", check.tolerance);
  json.member("cause", if_any(check.cause)).begin_object("over");
  for (const PointColumn& column : check.over) json.member(column.name, column.texts);
  json.end();
  json.objects("points", check.points,
               [&](const PointReport& point) { put_point(json, check, point); });
}

void put_row(JsonWriter& json, const RowReport& row) {
  json.member("id", row.id).member("title", row.title).member("source", row.source);
  json.member("conditions", row.conditions).member("file", row.file);
  json.member("axis", if_any(row.axis));
  json.member("verdict", verdict_key(row.verdict));
  json.objects("checks", row.checks, [&](const CheckReport& check) { put_check(json, check); });
}

void put_errors(JsonWriter& json, const ErrorStatistics& errors) {
  json.member("n", static_cast<std::int64_t>(errors.count)).member("mean", errors.mean);
  json.member("median", errors.median).member("largest", errors.largest);
  json.member("bias", errors.bias);
}

void put_kind(JsonWriter& json, const KindReport& kind) {
  json.member("kind", kind_name(kind.kind));
  json.member("of", kind.networks ? "networks in core" : "published figures");
  json.member("figures", static_cast<std::int64_t>(kind.figures));
  if (!kind.networks) json.member("holds", static_cast<std::int64_t>(kind.hold));
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
  const ValidationSummary& sum = report.summary;
  std::string text;
  JsonWriter json(text);
  begin_result(json, "ooc-paleo/validation", options.tool);
  json.begin_object("summary").member("rows", sum.rows).member("holds", sum.hold);
  json.member("fails", sum.fail).member("order_fails", sum.fail_order);
  json.member("fails_known", sum.known).member("not_run", sum.not_run);
  json.member("marked_but_holds", sum.unexpected);
  json.objects("kinds", kinds_of(report), [&](const KindReport& kind) { put_kind(json, kind); });
  json.end();
  json.objects("measured_networks", report.measured,
               [&](const MeasuredSetReport& set) { put_measured(json, set); });
  json.objects("rows", report.rows, [&](const RowReport& row) { put_row(json, row); }).end();
  return std::move(text) + "\n";
}

}  // namespace ooc
