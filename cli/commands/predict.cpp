// `predict`: one network, one machine, one schedule: how long, why, what would help.
#include <algorithm>
#include <string>
#include <utility>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/job.hpp"
#include "model/base/errors.hpp"
#include "reports/writers/trace.hpp"
#include "simulator/plan/plan_text.hpp"
#include "simulator/predict/compare.hpp"
#include "simulator/predict/figures.hpp"
#include "simulator/predict/remarks.hpp"
#include "simulator/predict/scheduled_case.hpp"
#include "simulator/summary/tensor_policies.hpp"

namespace ooc {
namespace {

const auto kPredictFlags = flags::joined(
    flags::of_runs(), {flags::kFormat, flags::kOutput, flags::kTrace, flags::kMemorySnapshot,
                       flags::kExportPlan, flags::kExportPolicy, flags::kReport, flags::kEquations,
                       flags::kMaxInput, flags::kQuiet, flags::kNoColor});

/// What hooks in a framework cannot follow; else "".
std::string beyond_policies(const Case& which, const CaseRun& run) {
  if (which.devices > 1) return "a plan for " + std::to_string(which.devices) + " devices";
  if (which.moving) return "a plan whose weights, gradients or optimizer state move";
  if (run.pages) return "a plan that moves pages, not tensors";
  const std::vector<Task>& tasks = run.about(which).graph->tasks;
  const bool compresses =
      std::ranges::any_of(tasks, [](const Task& task) { return is_overhead(task.kind); });
  if (compresses) return "a plan that compresses tensors";
  return run.about(which).rounds > 1 ? "a plan in rounds of a part of the batch" : "";
}

void write_policy(OutputFile& output, const Case& which, const RunInputs& inputs,
                  const CaseRun& run, const ToolInfo& tool) {
  if (const std::string found = beyond_policies(which, run); !found.empty()) {
    bad_value("--export-policy", found,
              "one that keeps, copies or computes again whole tensors of one device in one round",
              "--export-plan has every step of any plan");
  }
  const TensorPolicies policies = tensor_policies(std::get<Plan>(run.plan), *run.about(which).graph,
                                                  std::get<Timeline>(*run.outcome));
  output.finish(policy_json({.inputs = inputs,
                             .tool = tool,
                             .graph = *run.about(which).graph,
                             .costs = run.about(which).costs,
                             .policies = policies}));
}

/// All need a plan that ran; without one nothing is written and an old file stays. Returns what pictures show of it.
std::string write_side_files(Outputs& outputs, const Case& which, const RunInputs& inputs,
                             const CaseRun& run, const ToolInfo& tool) {
  const Plan* plan = std::get_if<Plan>(&run.verdict());
  const Timeline* timeline = run.timeline();
  if (plan == nullptr) return "";
  if (outputs.policy && timeline != nullptr) {
    write_policy(*outputs.policy, which, inputs, run, tool);
  }
  if (outputs.plan) {
    outputs.plan->finish(
        write_plan_text(*plan, *run.about(which).graph, run.about(which).costs, which.budget));
  }
  if (timeline == nullptr) return "";
  const TraceInput traced{.inputs = inputs,
                          .tool = tool,
                          .graph = *run.about(which).graph,
                          .costs = run.about(which).costs,
                          .plan = *plan,
                          .timeline = *timeline};
  if (outputs.trace) {
    write_trace(traced, [&](std::string_view text) { outputs.trace->write(text); });
    outputs.trace->commit();
  }
  if (outputs.snapshot) outputs.snapshot->finish(memory_snapshot(traced));
  return outputs.pictures.wanted() ? timeline_data(traced) : "";
}

/// "no trace and no plan are"; "" where none was asked for.
std::string not_written(const Outputs& outputs) {
  std::string text;
  int count = 0;
  for (const auto& [asked, name] : {std::pair{outputs.trace.has_value(), "trace"},
                                    std::pair{outputs.snapshot.has_value(), "memory snapshot"},
                                    std::pair{outputs.plan.has_value(), "plan"},
                                    std::pair{outputs.policy.has_value(), "policy"}}) {
    if (asked) text += std::string(count++ > 0 ? " and no " : "no ") + name;
  }
  return text.empty() ? text : text + (count > 1 ? " are" : " is");
}

/// The plan is gone when it returns, before the what-ifs make theirs.
RunReport run_job(Job& job, const Schedule& schedule, const Arguments& arguments,
                  std::string& timeline) {
  const Remarks remarks = job.result.remarks;
  const Case which = make_case(job.workload, job.machine(), job.options);
  remark_on_dtypes(remarks, {&job.workload, 1}, job.machines, job.options);
  remark_on(remarks, job.workload.path, stated_times_remark(job.workload, which.compute));
  const CaseRun run = run_case(which, schedule, Bounds::kAll);
  RunReport report = report_case(which, schedule, run, Detail::kLayers);
  if (report.feasible && !run.pages) {
    report.moved = moved_tensors(std::get<Plan>(run.plan), *run.about(which).graph,
                                 run.about(which).costs, std::get<Timeline>(*run.outcome));
  }
  if (report.feasible && arguments.has(flags::kEquations)) {
    report.equations = run_equations(which, schedule, run);
  }
  if (lacks_near_memory(report)) report.in_core_by_category = in_core_by_category(which);
  if (which.hardware.one_pool && !schedule.is(Trait::kMovesNothing)) {
    remark(remarks, "remark: " + one_pool_remark(which.hardware));
  }
  if (run.keeps_gradients) remark(remarks, "remark: " + kept_gradients_remark());
  timeline = write_side_files(job.outputs, which, report.inputs, run, job.result.write.tool);
  return report;
}

int run_predict(const Arguments& arguments) {
  Job job = read_job(arguments, Asks::kRuns);
  const Schedule& schedule = *job.schedules().front();
  std::string timeline;
  RunReport report = run_job(job, schedule, arguments, timeline);
  report.what_if = what_if(job.workload, job.machine(), job.options, schedule, report);

  const Outputs& outputs = job.outputs;
  const Remarks remarks = job.result.remarks;
  if (const std::string lost = not_written(outputs); !report.feasible && !lost.empty()) {
    remark(remarks, "the job does not fit: " + lost + " written");
  }
  if (report.norms_by_round) remark(remarks, "remark: " + norms_remark(report.sub_batch));
  const auto write = [&](const Writer& writer) {
    return writer.prediction(report, job.result.write);
  };
  const std::string title = report.inputs.network + ", " + report.inputs.schedule;
  if (timeline.empty()) {
    finish_result(job.outputs, *job.result.writer, title, write);
  } else {
    finish_result(job.outputs, *job.result.writer, title, write, {{.json = timeline}});
  }
  return report.feasible ? kExitOk : kExitDoesNotFit;
}

}  // namespace

extern const Command predict_command{
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
