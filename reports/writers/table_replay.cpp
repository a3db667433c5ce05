// `replay` for people: the two iteration times and their error first, then where the difference comes
// from, what the copies and the memory did, and the steps that are furthest off.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/base/quantity_io.hpp"
#include "reports/writers/json.hpp"
#include "reports/writers/text_table.hpp"
#include "simulator/summary/replay_report.hpp"

namespace ooc {
namespace {

constexpr std::size_t kStepsShown = 10;

/// "+1.2 ms", "-340.0 us", "0 ns".
std::string signed_duration(Duration time) {
  if (time.count() == 0) return format_duration(time);
  return (time.count() > 0 ? "+" : "-") + format_duration(Duration(std::abs(time.count())));
}

std::string deviation_text(double ratio) { return fmt::format("{:+.1f} %", ratio * 100); }

std::string percent_of(Duration part, Duration whole) {
  if (whole.count() == 0) return "-";
  return deviation_text(part / whole);
}

std::string rate_text(Bytes bytes, Duration time) {
  const auto rate = average_rate(bytes, time);
  return rate ? format_rate(*rate) : "-";
}

std::string head(const ReplayReport& report, const Look& look) {
  const RunInputs& in = report.inputs;
  std::string text =
      bold(printable(fmt::format("{} on {}, batch {}, schedule {}, {}, replayed", in.network,
                                 in.hardware, group_thousands(in.batch), in.schedule,
                                 framework_text(in.framework, in.framework_meaning))),
           look) +
      "\n";
  text += printable(fmt::format(
              "{}: {} {} of {} with {}{}",
              report.mode == "busy" ? "compute steps spin or copy as long as predicted"
                                    : "compute steps spin as long as predicted",
              group_thousands(static_cast<std::int64_t>(report.run.iterations.size())),
              report.run.iterations.size() == 1 ? "iteration" : "iterations", report.run.device,
              report.run.program, report.imported ? ", imported" : "")) +
          "\n";
  if (report.run.backend == "stub") {
    text += bold_red("backend stub: these are not times of a real machine", look) + "\n";
  }
  return text;
}

std::string times(const ReplayReport& report, const Look& look) {
  TextTable table({left(""), "", left("")});
  table.add_row({"predicted", format_duration(report.iteration.predicted), ""});
  table.add_row({"measured", format_duration(report.iteration.measured),
                 fmt::format("median; {} to {}, {} apart", format_duration(report.min),
                             format_duration(report.max), format_percent(report.spread))});
  std::string verdict = report.error < 0   ? "predicted too fast"
                        : report.error > 0 ? "predicted too slow"
                                           : "";
  if (report.tolerance) {
    verdict += fmt::format("{}{} {}", verdict.empty() ? "" : "; ",
                           report.within_tolerance() ? "within" : "more than",
                           format_percent(*report.tolerance));
  }
  table.add_row({"error", deviation_text(report.error), verdict});
  return "\n" + table.text(look);
}

std::string_view cause_phrase(StallCause cause) {
  return cause == StallCause::kLaunch ? "starting steps: queueing, events, launches"
                                      : wait_phrase(cause);
}

std::string causes(const ReplayReport& report, const Look& look) {
  TextTable table({left(""), "predicted", "measured", "difference", "of measured"});
  const auto row = [&](std::string_view what, Compared<Duration> time) {
    table.add_row({std::string(what), format_duration(time.predicted),
                   format_duration(time.measured), signed_duration(time.difference()),
                   percent_of(time.difference(), report.median_iteration)});
  };
  row("compute", report.busy);
  for (std::size_t i = 0; i < kStallCauses; ++i) {
    const Compared<Duration>& time = report.stalls[i];
    if (time.predicted.count() == 0 && time.measured.count() == 0) continue;
    row(cause_phrase(static_cast<StallCause>(i)), time);
  }
  row("iteration", {report.iteration.predicted, report.median_iteration});
  return section("Where the error comes from, in the median iteration", table, look);
}

std::string work(const ReplayReport& report, const Look& look) {
  TextTable table({left(""), "steps", "predicted", "measured", "longer", "shorter", "bytes",
                   "predicted at", "measured at"});
  for (const ReplayWork& each : report.work) {
    if (each.steps == 0) continue;
    const bool copies = each.bytes.count() > 0;
    table.add_row({std::string(each.name), group_thousands(static_cast<std::int64_t>(each.steps)),
                   format_duration(each.time.predicted), format_duration(each.time.measured),
                   signed_duration(each.longer), signed_duration(each.shorter),
                   copies ? format_bytes(each.bytes) : "-",
                   copies ? rate_text(each.bytes, each.time.predicted) : "-",
                   copies ? rate_text(each.bytes, each.time.measured) : "-"});
  }
  return section("Steps by kind, each from its start to its end", table, look) +
         "  longer, shorter: summed over the steps that took more, and less, than predicted\n";
}

std::string memory(const ReplayReport& report, const Look& look) {
  TextTable table({left(""), "", left("")});
  table.add_row({"budget", format_bytes(report.budget), "near memory"});
  table.add_row({"peak predicted", format_bytes(report.peak_near.predicted),
                 fmt::format("{} of it static", format_bytes(report.static_bytes))});
  table.add_row({"peak measured", format_bytes(report.peak_near.measured),
                 report.peak_near.difference().count() == 0 ? "the same" : "from the spans"});
  table.add_row({"allocated near", format_bytes(report.run.near_pool), "for copies"});
  table.add_row({"allocated far", format_bytes(report.run.far_pool), "pinned"});
  return section("Memory", table, look);
}

std::string host(const ReplayReport& report, const Look& look) {
  TextTable table({left(""), "", left("")});
  const auto steps = static_cast<std::int64_t>(std::max<std::size_t>(1, report.steps.size()));
  table.add_row(
      {"queueing", format_duration(report.issue),
       fmt::format("{} a step", format_duration(Duration(report.issue.count() / steps)))});
  table.add_row({"whole iteration", format_duration(report.host), "until all of it was over"});
  if (report.run.spin_overhead.count() > 0) {
    table.add_row({"empty kernel", format_duration(report.run.spin_overhead),
                   "between two events; taken off every spinning step"});
  }
  return section("Host", table, look);
}

std::string deviations(const ReplayReport& report, const Look& look) {
  const std::vector<std::size_t> order = largest_deviations(report, kStepsShown);
  if (order.empty()) return "";
  TextTable table(
      {left("queue"), left("step"), "predicted", "measured", "difference", "least", "most"});
  for (const std::size_t i : order) {
    const ReplayStepReport& step = report.steps[i];
    table.add_row({step.queue, step.kind == "recompute" ? step.name + " (again)" : step.name,
                   format_duration(step.predicted.end - step.predicted.start),
                   format_duration(step.median), signed_duration(step.deviation()),
                   format_duration(step.min), format_duration(step.max)});
  }
  return section(fmt::format("Steps furthest off ({} of {}), medians", order.size(),
                             group_thousands(static_cast<std::int64_t>(report.steps.size()))),
                 table, look);
}

std::string notes(const ReplayReport& report, const Look& look) {
  std::string text;
  for (const std::string& note : report.run.notes) text += "  " + printable(note) + "\n";
  return text.empty() ? "" : "\n" + bold("Notes", look) + "\n" + text;
}

}  // namespace

std::string table_replay(const ReplayReport& report, const WriteOptions& options) {
  const Look& look = options.look;
  return head(report, look) + times(report, look) + causes(report, look) + work(report, look) +
         memory(report, look) + host(report, look) + deviations(report, look) +
         notes(report, look) +
         assumed_warning(report.inputs.hardware, report.assumed, options.look);
}

// A step as columns of CSV and keys of JSON; and the JSON of a replay (docs/formats.md, 5).

namespace {

Cells cells_of(const ReplayReport& report, std::size_t index) {
  const ReplayStepReport& step = report.steps[index];
  return {{"step", static_cast<std::int64_t>(index)},
          {"queue", step.queue},
          {"kind", step.kind},
          {"name", step.name},
          {"bytes", step.bytes.count()},
          {"predicted_start_ns", step.predicted.start.count()},
          {"predicted_end_ns", step.predicted.end.count()},
          {"measured_start_ns", step.measured.start.count()},
          {"measured_end_ns", step.measured.end.count()},
          {"median_ns", step.median.count()},
          {"min_ns", step.min.count()},
          {"max_ns", step.max.count()},
          {"deviation_ns", step.deviation().count()}};
}

/// Leaves the object open.
template <class Value>
JsonWriter& begin_compared(JsonWriter& json, std::string_view key, const Compared<Value>& both) {
  json.begin_object(key).member("predicted", both.predicted).member("measured", both.measured);
  return json.member("difference", both.difference());
}

void put_run(JsonWriter& json, const ReplayReport& report) {
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

}  // namespace

std::string csv_replay(const ReplayReport& report, const WriteOptions& /*options*/) {
  std::string text;
  for (std::size_t i = 0; i < report.steps.size(); ++i) add_csv_line(text, cells_of(report, i));
  return text;
}

std::string json_replay(const ReplayReport& report, const WriteOptions& options) {
  constexpr std::size_t kDeviations = 20;
  const auto& tolerance = report.tolerance;
  std::string text;
  JsonWriter json(text);
  begin_result(json, "ooc-paleo/replay", options.tool);
  put_inputs(json, report.inputs);
  put_run(json, report);
  put_iteration(json, report);
  json.member("error", report.error).member("spread", report.spread).member("tolerance", tolerance);
  json.member("within_tolerance",
              tolerance ? std::optional(report.within_tolerance()) : std::nullopt);
  put_causes(json, report);
  put_work(json, report);
  put_memory(json, report);
  json.member("issue_ns", report.issue).member("host_ns", report.host).begin_list("deviations");
  for (const std::size_t i : largest_deviations(report, kDeviations)) {
    put_record(json, cells_of(report, i));
  }
  json.end();
  json.member("assumed", report.assumed).end();
  return std::move(text) + "\n";
}

}  // namespace ooc
