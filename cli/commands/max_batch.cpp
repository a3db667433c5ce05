// `max-batch`: the largest batch that runs, under every schedule, largest first.
#include "simulator/predict/max_batch.hpp"

#include <array>
#include <string>
#include <utility>
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
extern const Command max_batch_command;

namespace {

constexpr Flag kSchedules{.name = "--schedules",
                          .value = "LIST",
                          .help = "all (default) or names between commas",
                          .completes = Completes::kSchedules};
constexpr Flag kLimit{.name = "--max-batch-limit",
                      .value = "N",
                      .help = "nothing larger is tried; default 2147483648"};

// Not --layer-times: times that were measured belong to one batch.
constexpr std::array kOwnFlags{
    flags::kHardware,      kSchedules,        flags::kScheduleToo, kLimit,
    flags::kMemory,        flags::kFormat,    flags::kOutput,      flags::kLink,
    flags::kFarThroughput, flags::kLatency,   flags::kMode,        flags::kCompute,
    flags::kAccounting,    flags::kOptimizer, flags::kDtype,       flags::kAllocator,
    flags::kDevices,       flags::kExchange,  flags::kMaxInput,    flags::kQuiet,
    flags::kNoColor};
const auto kFlags = flags::with_schedule_flags(kOwnFlags);

int run_max_batch(const Arguments& arguments) {
  const std::string network =
      required_positional(arguments, "NETWORK", "a network file or a name of `list networks`");
  const std::string profile =
      required_value(arguments, flags::kHardware, "a profile file or a name of `list hardware`");
  const CaseOptions options = case_options(arguments);
  const ResultOptions result = result_options(arguments);
  const auto limit = arguments.value("--max-batch-limit");
  const std::int64_t largest = limit ? parse_batch(*limit, "--max-batch-limit") : kMaxBatch;
  if (largest < options.devices) {
    bad_value(
        "--max-batch-limit", std::to_string(largest),
        "at least " + std::to_string(options.devices) + ", a sample for each of the --devices");
  }
  auto [chosen, all] = chosen_schedules(arguments, "all");
  for (const Schedule* schedule : chosen) check_accounting(*schedule, options.graph.accounting);
  check_schedule_flags(arguments, chosen);
  Outputs outputs = open_outputs(arguments, {.networks = {&network, 1}, .profiles = {&profile, 1}});

  const Workload workload = load_workload(network, "NETWORK", options);
  const Machine machine = load_hardware(profile, "--hardware", options);
  remark_on_machine(result.remarks, machine, options.devices);
  chosen = runnable(std::move(chosen), all, {&machine, 1}, options, result.remarks);
  remark_on(result.remarks, workload.path, stated_times_remark(workload));
  const MaxBatchReport report = max_batches(
      {.workload = workload, .machine = machine, .options = options, .limit = largest}, chosen);
  remark_on_dtypes(result.remarks, {&workload, 1}, {&machine, 1}, options);
  bool any_fits = false;
  for (const MaxBatchRow& row : report.rows) any_fits = any_fits || row.batch > 0;

  const WriteOptions write{
      .tool = {.version = std::string(version()), .command = arguments.command_line()},
      .look = result.look};
  outputs.result.write(result.writer->max_batch(report, write));
  outputs.result.commit();
  return any_fits ? kExitOk : kExitDoesNotFit;
}

}  // namespace

const Command max_batch_command{
    .name = "max-batch",
    .summary = "the largest batch that runs, under every schedule",
    .examples =
        "  ooc-paleo max-batch resnet50 --hardware p100-nvlink1-power8\n"
        "  ooc-paleo max-batch resnet50 --hardware m40 --schedules in-core,capacity "
        "--optimizer momentum\n",
    .positionals = {.name = "NETWORK",
                    .help =
                        "a network file, - (standard input) or a name of `ooc-paleo list networks`",
                    .completes = Completes::kNetworks},
    .flags = kFlags,
    .run = &run_max_batch,
};

}  // namespace ooc
