// The JSON of a validation (docs/formats.md, 8): every figure of every row, numbers in the check's unit.
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "reports/writers/json_string.hpp"
#include "reports/writers/validation_text.hpp"
#include "reports/writers/writer.hpp"

namespace ooc {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }
Json number(const std::optional<double>& value) { return value ? number(*value) : Json(); }

Json in_unit(const CheckReport& check, double value) {
  if (check.truth && !std::isnan(value)) return value != 0;
  return number(value / check.factor);
}
Json in_unit(const CheckReport& check, const std::optional<double>& value) {
  return value ? in_unit(check, *value) : Json();
}

Json point_json(const CheckReport& check, const PointReport& point) {
  Json json;
  json["point"] = point.point.empty() ? Json() : Json(point.point);
  json["predicted"] = Json::array();
  for (const double each : point.predicted) json["predicted"].push_back(in_unit(check, each));
  json["reference"] = in_unit(check, point.published);
  json["deviation"] = number(point.deviation);
  json["low"] = in_unit(check, point.low);
  json["high"] = in_unit(check, point.high);
  json["verdict"] = verdict_key(point.verdict);
  json["note"] = point.note.empty() ? Json() : Json(point.note);
  return json;
}

Json check_json(const CheckReport& check) {
  Json json;
  json["name"] = check.name;
  json["use"] = use_name(check.use);
  json["unit"] = check.unit;
  json["rule"] = check.rule;
  json["tolerance"] = number(check.tolerance);
  json["cause"] = check.cause.empty() ? Json() : Json(check.cause);
  json["points"] = Json::array();
  for (const PointReport& point : check.points) json["points"].push_back(point_json(check, point));
  return json;
}

Json row_json(const RowReport& row) {
  Json json;
  json["id"] = row.id;
  json["title"] = row.title;
  json["source"] = row.source;
  json["conditions"] = row.conditions;
  json["file"] = row.file;
  json["verdict"] = verdict_key(row.verdict);
  json["checks"] = Json::array();
  for (const CheckReport& check : row.checks) json["checks"].push_back(check_json(check));
  return json;
}

}  // namespace

std::string json_validation(const ValidationReport& report, const WriteOptions& options) {
  const ValidationSummary& sum = report.summary;
  Json json;
  json["format"] = "ooc-paleo/validation";
  json["version"] = 1;
  json["tool"] = {{"version", options.tool.version}, {"command", options.tool.command}};
  json["summary"] = {{"rows", sum.rows},
                     {"holds", sum.hold},
                     {"fails", sum.fail},
                     {"order_fails", sum.fail_order},
                     {"fails_known", sum.known},
                     {"not_run", sum.not_run},
                     {"marked_but_holds", sum.unexpected}};
  json["rows"] = Json::array();
  for (const RowReport& row : report.rows) json["rows"].push_back(row_json(row));
  return json_for_terminals(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace ooc
