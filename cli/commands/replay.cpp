// `replay`: has a plan run on a device and sets what was predicted beside what was measured. The plan goes to ooc-paleo-gpu
// as a file; where that program and this one cannot be on one machine, the plan is exported and the answers are imported.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "cli/calibrate/calibrate_options.hpp"
#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/job.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/replay/run_plan.hpp"
#include "model/base/errors.hpp"
#include "reports/writers/text_table.hpp"
#include "reports/writers/trace.hpp"
#include "simulator/predict/remarks.hpp"
#include "simulator/predict/scheduled_case.hpp"
#include "simulator/summary/replay_report.hpp"

namespace ooc {
namespace {

constexpr Flag kCompute{"--compute", "WHAT",
                        "what compute steps do as long as predicted: spin (default), or those "
                        "without products stream through near memory (busy)",
                        Completes::kChoices, "spin|busy"};
constexpr Flag kIterations{"--iterations", "N", "timed iterations; default 20"};
constexpr Flag kWarmup{"--warmup", "N", "iterations before them; default 3"};
constexpr Flag kMaxTime{"--max-time", "TIME", "begin no further iteration after that; default 30s"};
constexpr Flag kTolerance{"--tolerance", "SHARE",
                          "exit code 4 if the iteration time is further off, e.g. 10%"};
constexpr Flag kExportPlan{"--export-plan", "FILE",
                           "write the plan for `ooc-paleo-gpu --replay FILE`, and end "
                           "there unless --probe or --device is given",
                           Completes::kFiles};
constexpr Flag kImport{
    "--import-measurements", "FILE",
    "what `ooc-paleo-gpu --replay … --output FILE` measured; - is standard input",
    Completes::kInputs};
constexpr Flag kReplayProbe{"--probe", "PATH",
                            "the measuring program; default: OOC_PALEO_GPU, ooc-paleo-gpu beside "
                            "this program or in PATH",
                            Completes::kFiles};

const auto kReplayFlags = flags::joined(
    flags::of_options({"--hardware", "--batch", "--schedule", "--memory", "--far-memory",
                       "--layer-times", "--link", "--latency", "--far-throughput", "--optimizer",
                       "--dtype", "--devices"}),
    {kCompute, kIterations, kWarmup, kMaxTime, kTolerance, kExportPlan, flags::kReport, kImport,
     flags::kDevice, kReplayProbe, flags::kTimeLimit, flags::kFormat, flags::kOutput, flags::kTrace,
     flags::kMaxInput, flags::kQuiet, flags::kNoColor});

void check_devices(const Machine& machine) {
  if (machine.profile.devices == 1) return;
  throw SpecError({machine.path, "/devices", std::to_string(machine.profile.devices),
                   "1: plans are replayed on one device"});
}

void check_one_device(const CaseOptions& job) {
  if (job.devices == 1) return;
  bad_value("--devices", std::to_string(job.devices), "1: plans are replayed on one device",
            "replay the share of one: divide --batch, and --link where copies decide");
}

void check_copies(const CaseRun& run) {
  if (!run.iteration) return;
  const auto& tasks = run.iteration->graph->tasks;
  if (std::ranges::any_of(tasks, [](const Task& task) { return is_overhead(task.kind); })) {
    bad_value("--lms-action", "compression", "swap",
              "the program that replays has no kernels that compress");
  }
  if (run.iteration->rounds > 1) return;
  bad_value("--schedule", "one that leaves copies to page faults",
            "one that makes its copies itself",
            "what a driver brings in and evicts cannot be told it step by step");
}

/// --compute means something else here than for predictions: what steps do, not which model prices them.
std::string mode_of(const Arguments& arguments) {
  std::string mode = arguments.value(kCompute).value_or("spin");
  (void)choice_index(kCompute.name, kCompute.choices, mode);
  return mode;
}

std::int64_t count_of(const Arguments& arguments, std::string_view flag, std::int64_t usual,
                      std::int64_t least) {
  constexpr std::int64_t kMost = 10'000;
  const auto text = arguments.value(flag);
  return text ? whole_number_of(*text, flag, least, kMost) : usual;
}

ReplayRun replay_run(const Arguments& arguments) {
  ReplayRun run{.mode = mode_of(arguments) == "spin" ? ReplayMode::kSpin : ReplayMode::kBusy};
  run.iterations = count_of(arguments, kIterations, run.iterations, 1);
  run.warmup = count_of(arguments, kWarmup, run.warmup, 0);
  if (const auto text = arguments.value(kMaxTime)) {
    run.max_ms = duration_of(*text, kMaxTime.name).count() / 1'000'000;
    if (run.max_ms < 1 || run.max_ms > 3'600'000) {
      bad_value(kMaxTime.name, in_quotes(*text), "1 ms to 60 min");
    }
  }
  return run;
}

/// A bare 10 would be a thousand per cent: a check that never fails is surely not meant.
std::optional<double> tolerance_of(const Arguments& arguments) {
  const auto text = arguments.value(kTolerance);
  if (!text) return std::nullopt;
  return ratio_of(*text, kTolerance.name, 0, 1) / kOne;
}

bool only_exports(const Arguments& arguments) {
  return arguments.has(kExportPlan) && !arguments.has(kImport) && !arguments.has(kReplayProbe) &&
         !arguments.has(flags::kDevice);
}

RunInputs inputs_of(const Schedule& schedule, const Case& which) {
  RunInputs inputs = which.inputs;
  inputs.schedule = schedule.name;
  inputs.options = options_text(schedule, which.schedule_options);
  return inputs;
}

/// The job does not fit: said as `predict` says it.
int does_not_fit(const Arguments& arguments, const Case& which, const CaseRun& run,
                 Outputs& outputs) {
  const RunReport report = report_case(which, *arguments.schedules.front(), run, Detail::kTotals);
  finish_result(
      outputs, *arguments.result.writer, report.inputs.network,
      [&](const Writer& writer) { return writer.prediction(report, arguments.result.write); });
  return kExitDoesNotFit;
}

/// Plans of several jobs are put together with `cat`.
void export_plan(const Arguments& arguments, const RunInputs& inputs, const ReplayText& plan,
                 Outputs& outputs) {
  outputs.plan->finish(
      printable(fmt::format("# {} on {}, batch {}, schedule {}, {} B near memory, {}",
                            inputs.network, inputs.hardware, inputs.batch, inputs.schedule,
                            inputs.memory.count(), mode_of(arguments))) +
      "\n" + plan.text);
  if (!only_exports(arguments)) return;
  const std::string& path = outputs.plan->path();
  remark(arguments.remarks(),
         fmt::format("the plan is in {0} and was not run; on the machine to measure:\n"
                     "  ooc-paleo-gpu --only replay --replay {0} --output LOG\n"
                     "  and here the same command with --import-measurements LOG in place of "
                     "--export-plan {0}",
                     path == "-" ? "FILE" : path));
}

void write_replay_trace(const Case& which, const CaseRun& run, const ReplayReport& report,
                        const WriteOptions& write, const Plan& plan, const Timeline& predicted,
                        const Timeline& measured, OutputFile& file) {
  write_trace({.inputs = report.inputs,
               .tool = write.tool,
               .graph = *run.about(which).graph,
               .costs = run.about(which).costs,
               .plan = plan,
               .timeline = predicted,
               .measured = &measured},
              [&](std::string_view text) { file.write(text); });
  file.commit();
}

int report_replay(const Arguments& arguments, const Case& which, const CaseRun& run,
                  const ReplayPlan& replay, MeasuredRun measured, Outputs& outputs) {
  const std::string mismatch = machine_mismatch(which.hardware, measured.device);
  if (!mismatch.empty()) remark(arguments.remarks(), "warning: " + mismatch);
  const Plan& plan = std::get<Plan>(run.plan);
  const Timeline& predicted = std::get<Timeline>(*run.outcome);
  const Timeline timeline = measured_timeline({.plan = plan,
                                               .graph = *run.about(which).graph,
                                               .spans = measured_spans(measured),
                                               .memory_waits = all_waits(replay)});
  const RunInputs inputs = inputs_of(*arguments.schedules.front(), which);
  const ReplayReport report = summarize_replay(
      {.inputs = inputs,
       .mode = mode_of(arguments),
       .imported = arguments.has(kImport),
       .graph = *run.about(which).graph,
       .costs = run.about(which).costs,
       .plan = plan,
       .predicted = predicted,
       .measured = timeline,
       .run = std::move(measured),
       .tolerance = tolerance_of(arguments),
       .assumed = assumed_in_use(which.hardware, inputs, framework_of(which.framework))});
  if (outputs.trace) {
    write_replay_trace(which, run, report, arguments.result.write, plan, predicted, timeline,
                       *outputs.trace);
  }
  finish_result(
      outputs, *arguments.result.writer, report.inputs.network + ": replay",
      [&](const Writer& writer) { return writer.replay(report, arguments.result.write); });
  return report.within_tolerance() ? kExitOk : kExitFailedCheck;
}

int run_replay(const Arguments& arguments) {
  if (arguments.has(kImport)) {
    arguments.refuse({kReplayProbe, flags::kDevice, flags::kTimeLimit, kMaxTime},
                     std::string(kImport.name), "use one of them",
                     "what is imported was measured elsewhere");
  }
  const std::string network = network_of(arguments);
  const std::string profile = hardware_of(arguments);
  const ReplayRun timed = replay_run(arguments);
  (void)tolerance_of(arguments);
  (void)device_number_of(arguments);
  (void)silence_ms_of(arguments);
  const Schedule& schedule = *arguments.schedules.front();
  CaseOptions options = arguments.options;
  check_one_device(options);
  check_chosen(arguments, arguments.schedules);
  Outputs outputs = open_outputs(arguments, {.networks = {&network, 1}, .profiles = {&profile, 1}});
  const Machine machine = load_hardware(profile, "--hardware", options);
  load_framework_of(options, arguments.value("--framework"), {&machine, 1});
  options.allocator = Allocator::kIdeal;  // blocks get their places from the replay itself
  if (options.framework) {
    Framework framework = *options.framework;
    framework.weight_gradients = WeightGradients::kStatic;  // and weights and gradients theirs
    options.framework = std::make_shared<const Framework>(std::move(framework));
  }
  const Workload workload = load_workload(network, "NETWORK", options);
  load_layer_times(options, arguments, workload);
  check_devices(machine);
  remark_on_machine(arguments.remarks(), machine, 1);
  const Case which = make_case(workload, machine, options);
  const CaseRun run = run_case(which, schedule, Bounds::kNone);
  check_copies(run);
  const Timeline* predicted = run.timeline();
  if (predicted == nullptr || run.far_overflow) return does_not_fit(arguments, which, run, outputs);
  // What is predicted is to be held to: the predicted peak, not the whole budget.
  const Plan& plan = std::get<Plan>(run.plan);
  const ReplayPlan replay = make_replay_plan(plan, *predicted, predicted->peak_near);
  const ReplayText text = write_replay_plan({.replay = replay,
                                             .plan = plan,
                                             .graph = *run.about(which).graph,
                                             .costs = run.about(which).costs,
                                             .timeline = *predicted},
                                            timed);
  if (outputs.plan) {
    export_plan(arguments, inputs_of(schedule, which), text, outputs);
    if (only_exports(arguments)) return kExitOk;
  }
  auto answer = run_plan(arguments, text, replay);
  if (const int* code = std::get_if<int>(&answer)) return *code;
  return report_replay(arguments, which, run, replay, std::get<MeasuredRun>(std::move(answer)),
                       outputs);
}

}  // namespace

extern const Command replay_command{
    .name = "replay",
    .summary = "run a plan on a GPU: predicted against measured, step by step",
    .examples =
        "  ooc-paleo replay vgg16 --hardware my-machine.json --batch 256 --memory 12GiB\n"
        "  ooc-paleo replay vgg16 --hardware my-machine.json --batch 256 --schedule vdnn-conv "
        "--compute busy --tolerance 10% --trace both.trace.json\n"
        "  ooc-paleo replay vgg16 --hardware my-machine.json --batch 256 --export-plan vgg16.plan\n"
        "  ooc-paleo replay vgg16 --hardware my-machine.json --batch 256 "
        "--import-measurements vgg16.log\n",
    .positionals = flags::kNetwork,
    .flags = kReplayFlags,
    .run = &run_replay,
};

}  // namespace ooc
