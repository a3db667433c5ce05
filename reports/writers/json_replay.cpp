// The JSON of a replay (docs/formats.md, 7): the same order of keys in every run.
#include "reports/writers/json_replay.hpp"

#include "reports/writers/json_parts.hpp"

namespace ooc {
namespace {

/// Leaves the object open.
template <class Value>
JsonWriter& begin_compared(JsonWriter& json, std::string_view key, const Compared<Value>& both) {
  json.begin_object(key).member("predicted", both.predicted).member("measured", both.measured);
  return json.member("difference", both.difference());
}

void put_machine(JsonWriter& json, const ReplayReport& report) {
  const MeasuredRun& run = report.run;
  json.begin_object("run").member("mode", report.mode).member("imported", report.imported);
  json.member("device", run.device).member("program", run.program).member("backend", run.backend);
  json.member("spin_overhead_ns", run.spin_overhead).member("notes", run.notes).end();
}

void put_iteration(JsonWriter& json, const ReplayReport& report) {
  begin_compared(json, "iteration_time_ns", report.iteration);
  json.member("min", report.min).member("max", report.max).begin_list("all");
  for (const MeasuredRun::Iteration& each : report.run.iterations) json.value(each.time);
  json.end().end();
}

void put_causes(JsonWriter& json, const ReplayReport& report) {
  json.begin_object("causes_ns");
  begin_compared(json, "busy", report.busy).end();
  for (std::size_t i = 0; i < kStallCauses; ++i) {
    const auto cause = static_cast<StallCause>(i);
    if (cause == StallCause::kUpdate)
      continue;  // plans with updates in far memory are not replayed
    begin_compared(json, stall_name(cause), report.stalls[i]).end();
  }
  const Compared<Duration> iteration{report.iteration.predicted, report.median_iteration};
  begin_compared(json, "iteration", iteration).end().end();
}

void put_work(JsonWriter& json, const ReplayReport& report) {
  json.begin_object("work");
  for (const ReplayWork& each : report.work) {
    json.begin_object(each.name).member("steps", each.steps);
    begin_compared(json, "time_ns", each.time).end();
    json.member("longer_ns", each.longer).member("shorter_ns", each.shorter);
    if (each.name == "to_far" || each.name == "to_near") {
      json.member("bytes", each.bytes);
      json.member("predicted_bytes_per_s", average_rate(each.bytes, each.time.predicted));
      json.member("measured_bytes_per_s", average_rate(each.bytes, each.time.measured));
    }
    json.end();
  }
  json.end();
}

void put_memory(JsonWriter& json, const ReplayReport& report) {
  const MeasuredRun& run = report.run;
  json.begin_object("memory").member("budget_near_bytes", report.budget);
  json.member("static_bytes", report.static_bytes);
  begin_compared(json, "peak_near_bytes", report.peak_near).end();
  json.member("near_pool_bytes", run.near_pool).member("far_pool_bytes", run.far_pool).end();
}

void put_step(JsonWriter& json, const ReplayReport& report, std::size_t index) {
  const ReplayStepReport& step = report.steps[index];
  json.begin_object().member("step", index).member("queue", step.queue).member("kind", step.kind);
  json.member("name", step.name).member("bytes", step.bytes);
  json.member("predicted_start_ns", step.predicted.start);
  json.member("predicted_end_ns", step.predicted.end);
  json.member("measured_start_ns", step.measured.start);
  json.member("measured_end_ns", step.measured.end).member("median_ns", step.median);
  json.member("min_ns", step.min).member("max_ns", step.max);
  json.member("deviation_ns", step.deviation()).end();
}

}  // namespace

std::string json_replay(const ReplayReport& report, const WriteOptions& options) {
  constexpr std::size_t kDeviations = 20;
  const auto& tolerance = report.tolerance;
  std::string text;
  JsonWriter json(text);
  begin_result(json, "ooc-paleo/replay", options.tool);
  put_inputs(json, report.inputs);
  put_machine(json, report);
  put_iteration(json, report);
  json.member("error", report.error).member("spread", report.spread).member("tolerance", tolerance);
  json.member("within_tolerance",
              tolerance ? std::optional(report.within_tolerance()) : std::nullopt);
  put_causes(json, report);
  put_work(json, report);
  put_memory(json, report);
  json.member("issue_ns", report.issue).member("host_ns", report.host).begin_list("deviations");
  for (const std::size_t i : largest_deviations(report, kDeviations)) put_step(json, report, i);
  json.end();
  if (report.show_steps) {
    json.begin_list("steps");
    for (std::size_t i = 0; i < report.steps.size(); ++i) put_step(json, report, i);
    json.end();
  }
  json.member("assumed", report.assumed).end();
  return std::move(text) + "\n";
}

}  // namespace ooc
