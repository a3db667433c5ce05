#include "cli/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "model/base/quantity_io.hpp"
#include "reports/writers/rows.hpp"
#include "reports/writers/text_table.hpp"
#include "simulator/predict/remarks.hpp"

namespace ooc {
namespace {

MetricValue text_if(const std::string& text) {
  return text.empty() ? MetricValue() : MetricValue(text);
}

std::string rate_text(const MetricValue& value) {
  const std::int64_t rate = std::get<std::int64_t>(value);
  return rate == 0 ? "any" : format_rate(BytesPerSecond(rate));
}
std::string bytes_text(const MetricValue& value) {
  const std::int64_t bytes = std::get<std::int64_t>(value);
  return bytes == 0 ? "any" : bytes_to_the_last(Bytes(bytes));
}
std::string count_text(const MetricValue& value) {
  return group_thousands(std::get<std::int64_t>(value));
}

std::string question(const SolveReport& report, const SolveRequest& asked) {
  const std::string alone = format_duration(report.reference_time);
  if (asked.time) {
    return fmt::format("smallest {} for an iteration of {}; computing alone takes {}",
                       asked.axis.word, format_duration(*asked.time), alone);
  }
  if (asked.axis.is_needed()) {
    const double within = asked.within / kOne;
    return fmt::format("smallest {} for an iteration within {} of computing alone, {}",
                       asked.axis.word, format_percent(within), alone);
  }
  if (asked.axis.word == "batch") return "largest batch";
  if (asked.axis.word == "seq") return "longest sequence";
  const ScalingRepeat& repeat = scaling_repeat(asked.workload);
  return fmt::format("most layers, copies of {}, of which its file has {}", repeat.name,
                     group_thousands(repeat.copies));
}

std::vector<RowColumn> columns_of(const SolveAxis& axis) {
  std::vector<RowColumn> columns{{"schedule", "schedule"}};
  const auto add = [&](std::vector<RowColumn> more) {
    columns.insert(columns.end(), more.begin(), more.end());
  };
  const bool is_rate = axis.unit == SolveAxis::Unit::kRate;
  const auto show = !axis.is_needed() ? &count_text : is_rate ? &rate_text : &bytes_text;
  RowColumn value{std::string(axis.word), "value", 0, "", "", show};
  if (axis.is_needed()) {
    value.note = "the smallest that suffices; any: nothing moves";
    add({value});
    if (is_rate) {
      add({{"too little", "beyond", 7, "the next smaller rate: was run, does not suffice", "",
            show}});
    }
  } else {
    add({value,
         {"+", "any_in_rounds", 0,
          "any larger batch runs, too, in rounds of at most so many samples", "",
          [](const MetricValue& it) { return std::string(std::get<bool>(it) ? "+" : ""); }},
         {"*", "monotone", 0,
          "larger ones may fit, as need does not always grow; the next few do not", "",
          [](const MetricValue& it) { return std::string(std::get<bool>(it) ? "" : "*"); }},
         {"gain", "gain", 0, "over in-core", "1.000x"}});
    if (axis.word == "layers") add({{"parameters", "parameters"}});
  }
  add({{"rounds", "rounds", axis.is_needed() ? 2 : 1,
        "the batch in parts, gradients add up to one update", "1"},
       {"time", "iteration_time_ns"},
       {"slowdown", "slowdown", axis.is_needed() ? 0 : 5, "against computing that alone"},
       {"samples/s", "samples_per_s", axis.is_needed() ? 4 : 0}});
  if (axis.word == "seq") add({{"tokens/s", "tokens_per_s"}});
  add({{"peak", "peak_near_bytes", axis.is_needed() ? 5 : 2}});
  if (axis.is_needed()) {
    add({{"copied", "copied_bytes", 6},
         {"limited by", "limited_by"},
         {"copies by", "copies_by", 3}});
  } else {
    add({{"lacks", "lacks_bytes", 3, "memory that the next one lacks, which was run, too"},
         {"limited by", "reason_text", 4}});
  }
  return columns;
}

ResultRows solve_rows(const SolveReport& report, const SolveRequest& asked) {
  const SolveAxis& axis = asked.axis;
  const RunInputs& in = report.inputs;
  const bool is_batch = axis.word == "batch";
  ResultRows rows{
      .format = axis.is_needed()    ? "ooc-paleo/need"
                : is_batch          ? "ooc-paleo/max-batch"
                : axis.flag.empty() ? "ooc-paleo/max-layers"
                                    : "ooc-paleo/max-seq",
      .list = axis.is_needed() ? "needs" : "results",
      .title = job_text(in, true, !is_batch) + ": " + printable(question(report, asked)),
      .head = {fmt::format("near memory {}, links {}, accounting {}, optimiser {}",
                           format_bytes(in.memory), printable(in.mode), in.accounting,
                           in.optimizer)},
      .inputs = in,
      .without = is_batch ? "batch" : "",
      .extra = {"schedule", "schedule_options", "value", "beyond", "reason", "reason_text",
                "lacks_bytes", "any_in_rounds", "monotone", "gain", "values_tried"},
      .columns = columns_of(axis),
      .failing_columns = {{"schedule", "schedule"},
                          {"time at best", "iteration_time_ns"},
                          {"slowdown", "slowdown"},
                          {"why", "reason_text"}},
      .failing_title = "None suffices",
      .remarks = report.remarks};
  if (axis.is_needed()) {
    const bool is_rate = axis.unit == SolveAxis::Unit::kRate;
    const double within = asked.within / kOne;
    rows.head.front() += fmt::format("\nnow {}", (is_rate ? &rate_text : &bytes_text)(report.now));
    rows.facts = {{"needed", std::string(axis.word)},
                  {"unit", is_rate ? "bytes_per_s" : "bytes"},
                  {"within", asked.time ? MetricValue() : MetricValue(within)},
                  {"time_ns", asked.time ? MetricValue(asked.time->count()) : MetricValue()},
                  {"reference_time_ns", report.reference_time.count()},
                  {"now", report.now}};
  } else {
    rows.facts = {{"limit", asked.limit}};
    if (axis.flag.empty()) {
      const ScalingRepeat& repeat = scaling_repeat(asked.workload);
      rows.facts.insert(rows.facts.end(), {{"repeat", repeat.name}, {"copies", repeat.copies}});
    }
  }
  for (const SolveRow& row : report.rows) {
    const auto number = [](const auto& value) {
      return value ? MetricValue(*value) : MetricValue();
    };
    const bool is_unsure = !row.monotone && row.value && row.lacks;
    rows.rows.push_back(
        {.extra = {row.schedule, row.options, number(row.value), number(row.beyond),
                   text_if(row.reason), text_if(row.reason_text),
                   row.lacks ? MetricValue(row.lacks->count()) : MetricValue(), row.any_in_rounds,
                   !is_unsure, number(gain_over_in_core(report, row)), std::int64_t{row.tried}},
         .fails = !row.value});
    if (row.run) rows.rows.back().runs = {*row.run};
  }
  return rows;
}

}  // namespace

int run_solve(Job& job, const SolveRequest& asked) {
  const SolveAxis& axis = asked.axis;
  const Remarks remarks = job.result.remarks;
  if (!axis.is_needed()) remark_on(remarks, job.workload.path, stated_times_remark(job.workload));
  const SolveReport report = solve(asked);
  if (axis.is_needed()) {
    const ComputeOptions compute{.batch = report.inputs.batch,
                                 .layer_times = job.options.layer_times};
    remark_on(remarks, job.workload.path, stated_times_remark(job.workload, compute));
  }
  remark_on_dtypes(remarks, {&job.workload, 1}, job.machines, job.options);
  const ResultRows rows = solve_rows(report, asked);
  finish_result(
      job.outputs, *job.result.writer,
      fmt::format("{}: {}{}", job.workload.path, axis.is_needed() ? "" : "largest ", axis.word),
      [&](const Writer& writer) { return writer.rows(rows, job.result.write); });
  const bool any =
      std::ranges::any_of(report.rows, [](const SolveRow& row) { return row.value.has_value(); });
  return any ? kExitOk : kExitDoesNotFit;
}

}  // namespace ooc
