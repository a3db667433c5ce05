// `sweep`: the product of lists of networks, machines, batches, budgets, schedules and links, one
// row a configuration.
#include <fmt/format.h>

#include <array>
#include <string>
#include <thread>
#include <utility>

#include "cli/command.hpp"
#include "cli/dtype_remarks.hpp"
#include "cli/flags.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/paged_plan.hpp"
#include "cli/schedule_flags.hpp"
#include "cli/sweep/grid.hpp"
#include "cli/sweep/progress.hpp"
#include "cli/sweep/rows.hpp"
#include "cli/sweep/run.hpp"
#include "cli/version.hpp"

namespace ooc {
extern const Command sweep_command;

namespace {

constexpr Flag kHardware{.name = "--hardware",
                         .brief = "",
                         .value = "PROFILE",
                         .help = "hardware profiles: files or names",
                         .completes = Completes::kHardware,
                         .choices = {},
                         .many = true};
constexpr Flag kBatch{.name = "--batch",
                      .brief = "",
                      .value = "LIST",
                      .help = "64,128,256 or 32:512:x2 or 32:512:+32; default: the network file's"};
constexpr Flag kLink{.name = "--link",
                     .brief = "",
                     .value = "LIST",
                     .help = "4GB/s:512GB/s:x2 or 16GB/s,inf; default: the profile's"};
constexpr Flag kMemory{.name = "--memory",
                       .brief = "",
                       .value = "LIST",
                       .help = "8GiB:32GiB:+4GiB or 12GiB,16GiB; default: the profile's"};
constexpr Flag kSchedule{.name = "--schedule",
                         .brief = "",
                         .value = "LIST",
                         .help = "all, or names between commas; default capacity",
                         .completes = Completes::kSchedules};
constexpr Flag kFormat{.name = "--format",
                       .brief = "",
                       .value = "FORMAT",
                       .help = "default: what -o ends with, else csv",
                       .completes = Completes::kChoices,
                       .choices = "csv|json"};
constexpr Flag kJobs{.name = "--jobs",
                     .brief = "",
                     .value = "N",
                     .help = "threads; default: as many as the machine has"};

constexpr std::array kOwnFlags{kHardware,
                               kBatch,
                               kLink,
                               kMemory,
                               kSchedule,
                               kFormat,
                               flags::kOutput,
                               kJobs,
                               flags::kFarThroughput,
                               flags::kLatency,
                               flags::kMode,
                               flags::kCompute,
                               flags::kAccounting,
                               flags::kOptimizer,
                               flags::kDtype,
                               flags::kAllocator,
                               flags::kDevices,
                               flags::kExchange,
                               flags::kMaxInput,
                               flags::kQuiet};
constexpr auto kFlags = flags::with_schedule_flags(kOwnFlags);

constexpr std::size_t kKneesShown = 40;
constexpr int kMaxJobs = 1024;

const SweepFormat& format_of(const Arguments& arguments) {
  if (const auto text = arguments.value("--format")) {
    if (const SweepFormat* format = find_sweep_format(*text)) return *format;
    unknown_word("--format", *text, {"csv", "json"});
  }
  const std::string output = arguments.value("--output").value_or("-");
  const SweepFormat* format = find_sweep_format(format_of_name(output));
  return format != nullptr ? *format : *find_sweep_format("csv");
}

unsigned jobs_of(const Arguments& arguments) {
  const auto text = arguments.value("--jobs");
  if (!text) return std::max(1U, std::thread::hardware_concurrency());
  const bool digits = !text->empty() && text->size() <= 4 &&
                      text->find_first_not_of("0123456789") == std::string::npos;
  const int jobs = digits ? std::stoi(*text) : 0;
  if (jobs < 1 || jobs > kMaxJobs) {
    bad_value("--jobs", quoted(*text), fmt::format("a whole number from 1 to {}", kMaxJobs));
  }
  return static_cast<unsigned>(jobs);
}

/// Options that are not lists; the lists are the grid's.
CaseOptions options_without_lists(const Arguments& arguments) {
  std::vector<std::pair<std::string, std::vector<std::string>>> rest;
  for (const Flag& flag : kFlags) {
    if (flag.name == "--batch" || flag.name == "--memory" || flag.name == "--link") continue;
    const auto values = arguments.values(flag.name);
    if (!values.empty()) rest.emplace_back(flag.name, std::vector(values.begin(), values.end()));
  }
  return case_options(Arguments({}, std::move(rest), {}));
}

void show_knees(const SweepEnd& end, Remarks remarks, bool rows_on_stdout) {
  if (end.knees.empty()) return;
  const std::string table = knee_table(end, kKneesShown);
  if (rows_on_stdout) {
    if (remarks == Remarks::kShown) std::fputs(table.c_str(), stderr);
    return;
  }
  OutputFile out("stdout", "-");
  out.write(table);
  out.commit();
}

int run_sweep_command(const Arguments& arguments) {
  SweepGrid grid = sweep_grid(arguments);
  const CaseOptions options = options_without_lists(arguments);
  const SweepFormat& format = format_of(arguments);
  const unsigned threads = jobs_of(arguments);
  const Remarks remarks = arguments.has("--quiet") ? Remarks::kQuiet : Remarks::kShown;
  for (const Schedule* schedule : grid.schedules) {
    check_accounting(*schedule, options.graph.accounting);
  }
  check_schedule_flags(arguments, grid.schedules);
  Outputs outputs = open_outputs(arguments, {.networks = grid.networks, .profiles = grid.hardware});
  OutputFile& out = outputs.result;

  const SweepInputs inputs = load_sweep(grid, options);
  remark_on_dtypes(remarks, inputs.workloads, inputs.machines, options);
  for (const Machine& machine : inputs.machines) {
    remark_on_machine(remarks, machine, options.devices);
  }
  if (!arguments.has("--batch")) {
    for (const Workload& workload : inputs.workloads) remark_on_batch(remarks, workload, options);
  }
  grid.schedules = runnable(std::move(grid.schedules), arguments.value("--schedule") == "all",
                            inputs.machines, options, remarks);
  out.write(format.begin({.version = std::string(version()), .command = arguments.command_line()}));
  const InterruptGuard guard;
  SweepSummary summary;
  {
    Progress progress(remarks, grid.rows());
    summary = run_sweep(
        {.grid = grid, .inputs = inputs, .options = options, .format = format, .threads = threads},
        {.write =
             [&](std::string_view text, std::size_t rows) {
               out.write(text);
               out.flush();
               progress.show(rows);
             },
         .stop = &InterruptGuard::interrupted});
  }
  const bool complete = summary.rows == grid.rows();
  const SweepEnd end{.grid = grid, .inputs = inputs, .knees = summary.knees, .complete = complete};
  out.write(format.end(end));
  out.commit();
  if (!complete) {
    remark(Remarks::kShown, fmt::format("{} of {} rows are in {}", summary.rows, grid.rows(),
                                        out.is_stdout() ? "the output" : out.path()));
    throw Interrupted();
  }
  show_knees(end, remarks, out.is_stdout());
  return summary.fitting > 0 ? kExitOk : kExitDoesNotFit;
}

}  // namespace

const Command sweep_command{
    .name = "sweep",
    .summary =
        "one row for each combination of networks, machines, batches, budgets, schedules "
        "and links",
    .examples =
        "  ooc-paleo sweep vgg16 --hardware v100-16gb-pcie3 --batch 64,128,256 "
        "--link 4GB/s:512GB/s:x2 -o results.csv\n"
        "  ooc-paleo sweep vgg16 resnet50 --hardware v100-16gb-pcie3 --batch 32:512:+32 "
        "--memory 8GiB:32GiB:+4GiB --schedule all -o results.json\n",
    .positionals = {.name = "NETWORK",
                    .help =
                        "network files, - (standard input) or names of `ooc-paleo list networks`",
                    .completes = Completes::kNetworks,
                    .choices = {},
                    .many = true},
    .flags = kFlags,
    .run = &run_sweep_command,
};

}  // namespace ooc
