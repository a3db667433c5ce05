// `predict`: one network, one machine, one schedule: how long, why, what would help.
#include <array>
#include <string>
#include <utility>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/job.hpp"
#include "cli/schedule_flags.hpp"
#include "cli/state_flags.hpp"
#include "reports/writers/timeline_data.hpp"
#include "reports/writers/trace.hpp"
#include "simulator/plan/plan_text.hpp"
#include "simulator/predict/case.hpp"
#include "simulator/predict/levers.hpp"
#include "simulator/predict/moving_plan.hpp"
#include "simulator/predict/rate_range.hpp"
#include "simulator/predict/remarks.hpp"
#include "simulator/predict/stated_times.hpp"
#include "simulator/predict/what_if.hpp"
#include "simulator/summary/moved_tensors.hpp"

namespace ooc {
extern const Command predict_command;

namespace {

constexpr auto kPredictOwnFlags = flags::joined(
    std::array{flags::kHardware, flags::kBatch, flags::kSchedule, flags::kSchedulesToo,
               flags::kMemory, flags::kFarMemory, flags::kFormat, flags::kOutput, flags::kTrace,
               flags::kExportPlan, flags::kReport, flags::kPlot, flags::kSteps, flags::kLayerTimes,
               flags::kLink},
    flags::kRun, flags::kStateFlags, std::array{flags::kNoColor});
const auto kPredictFlags = flags::with_schedule_flags(kPredictOwnFlags);

/// Trace and plan need a plan that ran; without one nothing is written and an old file stays. Returns what pictures
/// show of it.
std::string write_side_files(Outputs& outputs, const Case& which, const RunInputs& inputs,
                             const CaseRun& run, const ToolInfo& tool) {
  const Plan* plan = std::get_if<Plan>(&run.verdict());
  const Timeline* timeline = run.outcome ? std::get_if<Timeline>(&*run.outcome) : nullptr;
  if (plan == nullptr) return "";
  if (outputs.plan) {
    outputs.plan->finish(write_plan_text(*plan, run.graph(which), run.costs(which), which.budget));
  }
  if (timeline == nullptr) return "";
  const TraceInput traced{.inputs = inputs,
                          .tool = tool,
                          .graph = run.graph(which),
                          .costs = run.costs(which),
                          .plan = *plan,
                          .timeline = *timeline};
  if (outputs.trace) {
    write_trace(traced, [&](std::string_view text) { outputs.trace->write(text); });
    outputs.trace->commit();
  }
  return outputs.pictures.wanted() ? timeline_data(traced) : "";
}

/// The plan is gone when it returns, before the what-ifs make theirs.
RunReport run_job(Job& job, const Schedule& schedule, Detail detail, std::string& timeline) {
  const Remarks remarks = job.result.remarks;
  const Case which = make_case(job.workload, job.machine, job.options);
  remark_on_dtypes(remarks, {&job.workload, 1}, {&job.machine, 1}, job.options);
  remark_on(remarks, job.workload.path, stated_times_remark(job.workload, which.compute));
  const CaseRun run = run_case(which, schedule, BoundEffort::kWindows);
  RunReport report = report_case(which, schedule, run, detail);
  if (report.feasible && !run.pages) {
    report.moved = moved_tensors(std::get<Plan>(run.plan), run.graph(which), run.costs(which),
                                 std::get<Timeline>(*run.outcome));
  }
  if (lacks_near_memory(report)) report.in_core_by_category = in_core_by_category(which);
  if (const std::string text = algorithms_remark(which, schedule); !text.empty()) {
    remark(remarks, "remark: " + text);
  }
  timeline = write_side_files(job.outputs, which, report.inputs, run, job.result.write.tool);
  return report;
}

int run_predict(const Arguments& arguments) {
  Job job = read_job(arguments, Asks::kOneSchedule);
  const Schedule& schedule = *job.schedules.front();
  const Detail detail = arguments.has(flags::kSteps) ? Detail::kSteps : Detail::kLayers;
  std::string timeline;
  RunReport report = run_job(job, schedule, detail, timeline);
  report.levers = levers(job.workload, job.machine, job.options, schedule, report);
  report.what_if = what_if(job.workload, job.machine, job.options, schedule, report);
  if (schedule.is(Trait::kOptimizes)) {
    report.worth = worth_of_last(job.workload, job.machine, job.options, schedule, report);
  }
  report.range = range_of_time(job.workload, job.machine, job.options, schedule, report);

  const Outputs& outputs = job.outputs;
  const Remarks remarks = job.result.remarks;
  if (!report.feasible && (outputs.trace || outputs.plan)) {
    remark(remarks, std::string("the job does not fit: no ") +
                        (!outputs.plan    ? "trace is"
                         : !outputs.trace ? "plan is"
                                          : "trace and no plan are") +
                        " written");
  }
  if (report.norms_by_round) remark(remarks, "remark: " + norms_remark(report.sub_batch));
  const auto write = [&](const Writer& writer) {
    return writer.prediction(report, job.result.write);
  };
  const std::string title = report.inputs.network + ", " + report.inputs.schedule;
  if (timeline.empty()) {
    finish_result(job.outputs, *job.result.writer, title, write);
  } else {
    finish_result(job.outputs, *job.result.writer, title, write, {{.name = {}, .json = timeline}});
  }
  return report.feasible ? kExitOk : kExitDoesNotFit;
}

}  // namespace

const Command predict_command{
    .name = "predict",
    .summary = "how long one iteration takes under one schedule, and why",
    .examples =
        "  ooc-paleo predict vgg16 --hardware v100-16gb-pcie3 --batch 256\n"
        "  ooc-paleo predict vgg16 --hardware v100-16gb-pcie3 --batch 256 --memory 12GiB "
        "--schedule vdnn-all --trace vgg16.trace.json\n"
        "  ooc-paleo predict my_network.json --hardware my_machine.json --format json "
        "-o result.json\n",
    .positionals = flags::kNetwork,
    .flags = kPredictFlags,
    .run = &run_predict,
};

}  // namespace ooc
