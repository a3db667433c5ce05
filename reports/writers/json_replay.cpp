// The JSON of a replay (docs/formats.md, 7): the same order of keys in every run.
#include "reports/writers/json_replay.hpp"

#include <nlohmann/json.hpp>

#include "reports/writers/json_metrics.hpp"
#include "reports/writers/json_string.hpp"

namespace ooc {
namespace {

using Json = nlohmann::ordered_json;

template <class Value>
Json compared(const Compared<Value>& both) {
  return {{"predicted", both.predicted.count()},
          {"measured", both.measured.count()},
          {"difference", both.difference().count()}};
}

Json rate(Bytes bytes, Duration time) {
  const auto average = average_rate(bytes, time);
  return average ? Json(average->count()) : Json();
}

Json machine_json(const ReplayReport& report) {
  const MeasuredRun& run = report.run;
  Json json;
  json["mode"] = report.mode;
  json["imported"] = report.imported;
  json["device"] = run.device;
  json["program"] = run.program;
  json["backend"] = run.backend;
  json["verified"] = run.verified;
  json["checked_bytes"] = run.checked.count();
  json["spin_overhead_ns"] = run.spin_overhead.count();
  json["notes"] = run.notes;
  json["not_covered"] = report.not_covered;
  return json;
}

Json iteration_json(const ReplayReport& report) {
  Json json = compared(report.iteration);
  json["min"] = report.min.count();
  json["max"] = report.max.count();
  Json all = Json::array();
  for (const MeasuredRun::Iteration& each : report.run.iterations) all.push_back(each.time.count());
  json["all"] = all;
  return json;
}

Json causes_json(const ReplayReport& report) {
  Json json;
  json["busy"] = compared(report.busy);
  for (std::size_t i = 0; i < kStallCauses; ++i) {
    json[std::string(stall_name(static_cast<StallCause>(i)))] = compared(report.stalls[i]);
  }
  json["iteration"] =
      compared(Compared<Duration>{report.iteration.predicted, report.median_iteration});
  return json;
}

Json work_json(const ReplayReport& report) {
  Json json;
  for (const ReplayWork& each : report.work) {
    Json row;
    row["steps"] = each.steps;
    row["time_ns"] = compared(each.time);
    row["longer_ns"] = each.longer.count();
    row["shorter_ns"] = each.shorter.count();
    if (each.name == "to_far" || each.name == "to_near") {
      row["bytes"] = each.bytes.count();
      row["predicted_bytes_per_s"] = rate(each.bytes, each.time.predicted);
      row["measured_bytes_per_s"] = rate(each.bytes, each.time.measured);
    }
    json[std::string(each.name)] = row;
  }
  return json;
}

Json memory_json(const ReplayReport& report) {
  Json json;
  json["budget_near_bytes"] = report.budget.count();
  json["static_bytes"] = report.static_bytes.count();
  json["peak_near_bytes"] = compared(report.peak_near);
  json["near_pool_bytes"] = report.run.near_pool.count();
  json["near_pool_pages"] = report.run.pool_pages;
  json["near_page_bytes"] = report.run.page.count();
  json["far_pool_bytes"] = report.run.far_pool.count();
  return json;
}

Json step_json(const ReplayReport& report, std::size_t index) {
  const ReplayStepReport& step = report.steps[index];
  Json json;
  json["step"] = index;
  json["queue"] = step.queue;
  json["kind"] = step.kind;
  json["name"] = step.name;
  json["bytes"] = step.bytes.count();
  json["predicted_start_ns"] = step.predicted.start.count();
  json["predicted_end_ns"] = step.predicted.end.count();
  json["measured_start_ns"] = step.measured.start.count();
  json["measured_end_ns"] = step.measured.end.count();
  json["median_ns"] = step.median.count();
  json["min_ns"] = step.min.count();
  json["max_ns"] = step.max.count();
  json["deviation_ns"] = step.deviation().count();
  return json;
}

}  // namespace

std::string json_replay(const ReplayReport& report, const WriteOptions& options) {
  constexpr std::size_t kDeviations = 20;
  Json json;
  json["format"] = "ooc-paleo/replay";
  json["version"] = 1;
  json["tool"] = {{"version", options.tool.version}, {"command", options.tool.command}};
  put_inputs(json, report.inputs);
  json["run"] = machine_json(report);
  json["iteration_time_ns"] = iteration_json(report);
  json["error"] = report.error;
  json["spread"] = report.spread;
  json["tolerance"] = report.tolerance ? Json(*report.tolerance) : Json();
  json["within_tolerance"] = report.tolerance ? Json(report.within_tolerance()) : Json();
  json["causes_ns"] = causes_json(report);
  json["work"] = work_json(report);
  json["memory"] = memory_json(report);
  json["issue_ns"] = report.issue.count();
  json["host_ns"] = report.host.count();
  json["deviations"] = Json::array();
  for (const std::size_t step : largest_deviations(report, kDeviations)) {
    json["deviations"].push_back(step_json(report, step));
  }
  if (report.show_steps) {
    json["steps"] = Json::array();
    for (std::size_t i = 0; i < report.steps.size(); ++i) {
      json["steps"].push_back(step_json(report, i));
    }
  }
  json["assumed"] = report.assumed;
  return json_for_terminals(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace ooc
