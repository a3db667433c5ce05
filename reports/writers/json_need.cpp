// The JSON of `need` (docs/formats.md): one entry a schedule, the smallest value first. What is not known is null.
#include "reports/writers/json_need.hpp"

#include <vector>

#include "reports/writers/json_parts.hpp"

namespace ooc {
namespace {

void put_bracket(JsonWriter& json, const NeedRow& row) {
  if (!row.bracket) {
    json.member("bracket", nullptr);
    return;
  }
  json.begin_list("bracket").value(row.bracket->first).value(row.bracket->second).end();
}

void put_row(JsonWriter& json, const NeedRow& row) {
  const bool runs = row.run && row.run->feasible;
  const auto of_run = [&](std::string_view key, auto value) {
    json.member(key, runs ? std::optional((*row.run).*value) : std::nullopt);
  };
  json.member("schedule", row.schedule);
  json.member("options", row.run ? row.run->inputs.options : "");
  json.member("algorithms", row.run ? if_any(row.run->inputs.algorithms) : std::nullopt);
  json.member("value", row.value).member("reason", if_any(row.reason));
  json.member("reason_text", if_any(row.reason_text));
  put_bracket(json, row);
  of_run("limited_by", &RunReport::limited_by);
  of_run("link_limited_by", &RunReport::link_limited_by);
  of_run("iteration_time_ns", &RunReport::iteration_time);
  of_run("slowdown", &RunReport::slowdown);
  of_run("samples_per_s", &RunReport::samples_per_s);
  of_run("peak_near_bytes", &RunReport::peak_near);
  of_run("peak_far_bytes", &RunReport::peak_far);
  of_run("rounds", &RunReport::rounds);
  json.member("values_tried", row.attempts);
}

}  // namespace

std::string json_need(const NeedReport& report, const WriteOptions& options) {
  std::string text;
  JsonWriter json(text);
  begin_result(json, "ooc-paleo/need", options.tool);
  put_inputs(json, report.inputs, {"schedule"});
  json.member("needed", needed_word(report.what));
  json.member("unit", is_rate(report.what) ? "bytes_per_s" : "bytes");
  const double within =
      static_cast<double>(report.within.count()) / static_cast<double>(kOne.count());
  json.member("within", report.time ? std::nullopt : std::optional(within));
  json.member("time_ns", report.time).member("reference_time_ns", report.reference_time);
  json.member("now", report.now);
  json.objects("needs", best_first(report), [&](std::size_t i) { put_row(json, report.rows[i]); });
  json.member("assumed", report.assumed).member("remarks", report.remarks).end();
  return std::move(text) + "\n";
}

}  // namespace ooc
