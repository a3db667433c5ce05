// `compare`: one network, one machine, every schedule, best first.
#include "simulator/predict/compare.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/load.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/runnable.hpp"
#include "cli/schedule_flags.hpp"
#include "cli/version.hpp"
#include "simulator/predict/case.hpp"
#include "simulator/predict/paged_plan.hpp"
#include "simulator/predict/stated_times.hpp"

namespace ooc {
extern const Command compare_command;

namespace {

constexpr Flag kSchedules{.name = "--schedules",
                          .value = "LIST",
                          .help = "all (default) or names between commas",
                          .completes = Completes::kSchedules};

constexpr std::array kOwnFlags{
    flags::kHardware,  flags::kBatch,         kSchedules,        flags::kScheduleToo,
    flags::kMemory,    flags::kFormat,        flags::kOutput,    flags::kLayerTimes,
    flags::kLink,      flags::kFarThroughput, flags::kLatency,   flags::kMode,
    flags::kCompute,   flags::kAccounting,    flags::kOptimizer, flags::kDtype,
    flags::kAllocator, flags::kDevices,       flags::kExchange,  flags::kMaxInput,
    flags::kQuiet,     flags::kNoColor};
const auto kFlags = flags::with_schedule_flags(kOwnFlags);

int run_compare(const Arguments& arguments) {
  const std::string network =
      required_positional(arguments, "NETWORK", "a network file or a name of `list networks`");
  const std::string profile =
      required_value(arguments, flags::kHardware, "a profile file or a name of `list hardware`");
  CaseOptions options = case_options(arguments);
  const ResultOptions result = result_options(arguments);
  auto [chosen, all] = chosen_schedules(arguments, "all");
  for (const Schedule* schedule : chosen) check_accounting(*schedule, options.graph.accounting);
  check_schedule_flags(arguments, chosen);
  Outputs outputs = open_outputs(arguments, {.networks = {&network, 1}, .profiles = {&profile, 1}});

  const Workload workload = load_workload(network, "NETWORK", options);
  load_layer_times(options, arguments, workload);
  const Machine machine = load_hardware(profile, "--hardware", options);
  remark_on_machine(result.remarks, machine, options.devices);
  remark_on_batch(result.remarks, workload, options);
  chosen = runnable(std::move(chosen), all, {&machine, 1}, options, result.remarks);
  const Case which = make_case(workload, machine, options);
  remark_on(result.remarks, workload.path, stated_times_remark(workload, which.compute));
  remark_on_dtypes(result.remarks, {&workload, 1}, {&machine, 1}, options);
  const Comparison comparison =
      compare({.which = which,
               .chosen = chosen,
               .algorithms = arguments.has("--algorithms") ? CompareAlgorithms::kAsGiven
                                                           : CompareAlgorithms::kBestOfAll});
  for (const std::string& text : comparison.left_out) {
    remark(result.remarks, "remark: without " + text);
  }
  const bool any_fits = std::any_of(comparison.rows.begin(), comparison.rows.end(),
                                    [](const RunReport& report) { return report.feasible; });

  const WriteOptions write{
      .tool = {.version = std::string(version()), .command = arguments.command_line()},
      .look = result.look,
      .chart = result.remarks == Remarks::kQuiet ? Chart::kNone : Chart::kText};
  outputs.result.write(result.writer->comparison(comparison.rows, write));
  outputs.result.commit();
  return any_fits ? kExitOk : kExitDoesNotFit;
}

}  // namespace

const Command compare_command{
    .name = "compare",
    .summary = "every schedule for one job, best first",
    .examples =
        "  ooc-paleo compare vgg16 --hardware v100-16gb-pcie3 --batch 256\n"
        "  ooc-paleo compare resnet50 --hardware v100-16gb-pcie3 --batch 400 "
        "--schedules vdnn-all,vdnn-conv,capacity\n",
    .positionals = {.name = "NETWORK",
                    .help =
                        "a network file, - (standard input) or a name of `ooc-paleo list networks`",
                    .completes = Completes::kNetworks},
    .flags = kFlags,
    .run = &run_compare,
};

}  // namespace ooc
