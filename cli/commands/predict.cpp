// `predict`: one network, one machine, one schedule: how long, why, what would help.
#include <array>
#include <string>
#include <utility>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/load.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/schedule_flags.hpp"
#include "cli/version.hpp"
#include "reports/writers/trace.hpp"
#include "simulator/plan/plan_text.hpp"
#include "simulator/predict/case.hpp"
#include "simulator/predict/paged_plan.hpp"
#include "simulator/predict/remarks.hpp"
#include "simulator/predict/stated_times.hpp"
#include "simulator/predict/what_if.hpp"

namespace ooc {
extern const Command predict_command;

namespace {

constexpr std::array kOwnFlags{
    flags::kHardware,      flags::kBatch,     flags::kSchedule,   flags::kSchedulesToo,
    flags::kMemory,        flags::kFormat,    flags::kOutput,     flags::kTrace,
    flags::kExportPlan,    flags::kSteps,     flags::kLayerTimes, flags::kLink,
    flags::kFarThroughput, flags::kLatency,   flags::kMode,       flags::kCompute,
    flags::kAccounting,    flags::kOptimizer, flags::kDtype,      flags::kAllocator,
    flags::kDevices,       flags::kExchange,  flags::kMaxInput,   flags::kQuiet,
    flags::kNoColor};
const auto kFlags = flags::with_schedule_flags(kOwnFlags);

/// Both need a plan that ran; without one nothing is written and an old file stays.
void write_side_files(Outputs& outputs, const Case& which, const RunInputs& inputs,
                      const CaseRun& run, const ToolInfo& tool) {
  const Plan* plan = std::get_if<Plan>(&run.verdict());
  const Timeline* timeline = run.outcome ? std::get_if<Timeline>(&*run.outcome) : nullptr;
  if (plan == nullptr) return;
  if (outputs.plan) {
    outputs.plan->write(write_plan_text(*plan, run.graph(which), run.costs(which), which.budget));
    outputs.plan->commit();
  }
  if (outputs.trace && timeline != nullptr) {
    write_trace({.inputs = inputs,
                 .tool = tool,
                 .graph = run.graph(which),
                 .costs = run.costs(which),
                 .plan = *plan,
                 .timeline = *timeline},
                [&](std::string_view text) { outputs.trace->write(text); });
    outputs.trace->commit();
  }
}

int run_predict(const Arguments& arguments) {
  const std::string network =
      required_positional(arguments, "NETWORK", "a network file or a name of `list networks`");
  const std::string profile =
      required_value(arguments, flags::kHardware, "a profile file or a name of `list hardware`");
  CaseOptions options = case_options(arguments);
  const ResultOptions result = result_options(arguments);
  const Schedule& schedule = chosen_schedule(arguments);
  check_accounting(schedule, options.graph.accounting);
  const Schedule* const chosen[] = {&schedule};
  check_schedule_flags(arguments, chosen);
  Outputs outputs = open_outputs(arguments, {.networks = {&network, 1}, .profiles = {&profile, 1}});

  const Workload workload = load_workload(network, "NETWORK", options);
  load_layer_times(options, arguments, workload);
  const Machine machine = load_hardware(profile, "--hardware", options);
  remark_on_machine(result.remarks, machine, options.devices);
  remark_on_batch(result.remarks, workload, options);
  check_pages(schedule, machine, options);
  const WriteOptions write{
      .tool = {.version = std::string(version()), .command = arguments.command_line()},
      .look = result.look};
  RunReport report = [&] {
    const Case which = make_case(workload, machine, options);
    remark_on_dtypes(result.remarks, {&workload, 1}, {&machine, 1}, options);
    remark_on(result.remarks, workload.path, stated_times_remark(workload, which.compute));
    const CaseRun run = run_case(which, schedule, BoundEffort::kWindows);
    const Detail detail = arguments.has("--steps") ? Detail::kSteps : Detail::kLayers;
    RunReport made = report_case(which, schedule, run, detail);
    write_side_files(outputs, which, made.inputs, run, write.tool);
    return made;
  }();  // the plan is gone before the what-ifs make theirs
  report.what_if = what_if(workload, machine, options, schedule, report);

  if (!report.feasible && (outputs.trace || outputs.plan)) {
    remark(result.remarks, std::string("the job does not fit: no ") +
                               (!outputs.plan    ? "trace is"
                                : !outputs.trace ? "plan is"
                                                 : "trace and no plan are") +
                               " written");
  }
  if (report.norms_by_round) {
    remark(result.remarks, "remark: " + norms_remark(report.sub_batch));
  }
  outputs.result.write(result.writer->prediction(report, write));
  outputs.result.commit();
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
    .positionals = {.name = "NETWORK",
                    .help =
                        "a network file, - (standard input) or a name of `ooc-paleo list networks`",
                    .completes = Completes::kNetworks},
    .flags = kFlags,
    .run = &run_predict,
};

}  // namespace ooc
