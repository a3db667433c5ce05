// `sweep`: the product of lists of networks, machines, batches, budgets, far memories, schedules and links,
// one row a configuration.
#include "simulator/predict/sweep.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>
#include <utility>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/runnable.hpp"
#include "cli/schedule_flags.hpp"
#include "cli/sweep/grid.hpp"
#include "cli/sweep/inputs.hpp"
#include "cli/sweep/progress.hpp"
#include "cli/sweep/rows.hpp"
#include "cli/terminal.hpp"
#include "cli/version.hpp"
#include "model/base/errors.hpp"
#include "reports/writers/folded.hpp"
#include "simulator/predict/paged_plan.hpp"
#include "simulator/predict/stated_times.hpp"

namespace ooc {
extern const Command sweep_command;

namespace {

constexpr Flag kHardware{.name = "--hardware",
                         .value = "PROFILE",
                         .help = "hardware profiles: files or names",
                         .completes = Completes::kHardware,
                         .choices = {},
                         .many = true};
constexpr Flag kBatch{.name = "--batch",
                      .value = "LIST",
                      .help = "64,128,256 or 32:512:x2 or 32:512:+32; default: the network file's"};
constexpr Flag kLink{.name = "--link",
                     .value = "LIST",
                     .help = "4GB/s:512GB/s:x2 or 16GB/s,inf; default: the profile's"};
constexpr Flag kMemory{.name = "--memory",
                       .value = "LIST",
                       .help = "8GiB:32GiB:+4GiB or 12GiB,16GiB; default: the profile's"};
constexpr Flag kFarMemory{.name = "--far-memory",
                          .value = "LIST",
                          .help = "64GiB:512GiB:x2 or 64GiB,128GiB; default: the profile's"};
constexpr Flag kSchedule{.name = "--schedule",
                         .value = "LIST",
                         .help = "all, or names between commas; default capacity",
                         .completes = Completes::kSchedules};
constexpr Flag kFormat{.name = "--format",
                       .value = "FORMAT",
                       .help = "default: what -o ends with, else csv",
                       .completes = Completes::kChoices,
                       .choices = "csv|json"};
constexpr Flag kJobs{
    .name = "--jobs", .value = "N", .help = "threads; default: as many as the machine has"};

constexpr auto kOwnFlags =
    flags::joined(std::array{kHardware, kBatch, kLink, kMemory, kFarMemory, kSchedule,
                             flags::kSchedulesToo, kFormat, flags::kOutput, kJobs},
                  flags::kRun);
const auto kFlags = flags::with_schedule_flags(kOwnFlags);

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
    bad_value("--jobs", in_quotes(*text), fmt::format("a whole number from 1 to {}", kMaxJobs));
  }
  return static_cast<unsigned>(jobs);
}

void show_knees(const SweepEnd& end, Remarks remarks, bool rows_on_stdout) {
  if (end.knees.empty()) return;
  const std::string table = knee_table(end, kKneesShown);
  if (rows_on_stdout) {
    if (remarks == Remarks::kShown)
      std::fputs(folded(table, width_of(STDERR_FILENO)).c_str(), stderr);
    return;
  }
  OutputFile("stdout", "-").finish(folded(table, width_for("-")));
}

/// The line that ends a sweep in which not everything fits.
void show_summary(const SweepSummary& summary, Remarks remarks) {
  const std::size_t lacking = summary.rows - summary.fitting - summary.failed;
  if (lacking > 0) {
    std::string causes;
    for (const auto& [lacks, rows] : summary.lacking) {
      causes += fmt::format("{}{} lack {}", causes.empty() ? "" : ", ", rows, lacks);
    }
    remark(remarks, fmt::format("{} of {} rows do not fit: {}", lacking, summary.rows, causes));
  }
  if (summary.failed > 0) {
    remark(remarks, fmt::format("{} of {} rows cannot be worked out, the first because of {}",
                                summary.failed, summary.rows, summary.first_failure->what()));
  }
}

/// Where the rows of a sweep went that did not come to its end, if it got so far as to have some.
void show_kept(const SweepSummary& summary, std::size_t all, OutputFile& out) {
  const std::optional<std::string> kept = out.keep_partial();
  if (!kept && !out.is_in_place()) {
    remark(Remarks::kShown, fmt::format("none of {} rows was finished: nothing is kept", all));
    return;
  }
  remark(Remarks::kShown, fmt::format("{} of {} rows are in {}", summary.rows, all,
                                      kept              ? *kept
                                      : out.is_stdout() ? "the output"
                                                        : out.path()));
}

/// Rows may still be under way in other threads, for however long they take.
[[noreturn]] void end_interrupted() {
  std::fputs("ooc-paleo: interrupted\n", stderr);
  std::fflush(nullptr);
  _exit(kExitInterrupted);
}

SweepSummary run_into(OutputFile& out, const SweepJob& job, Remarks remarks) {
  Progress progress(remarks, job.grid.rows());
  std::size_t written = 0;
  try {
    return run_sweep(job, {.write =
                               [&](std::string_view text, const SweepSummary& so_far) {
                                 out.write(text);
                                 // Rows of which none could be worked out are nothing to keep.
                                 if (so_far.failed < so_far.rows) out.checkpoint();
                                 progress.show(written = so_far.rows);
                               },
                           .stop = &InterruptGuard::interrupted});
  } catch (const ReaderGone&) {
    throw;
  } catch (...) {
    SweepSummary summary;
    summary.rows = written;
    show_kept(summary, job.grid.rows(), out);
    throw;
  }
}

int run_sweep_command(const Arguments& arguments) {
  SweepGrid grid = sweep_grid(arguments);
  CaseOptions options = case_options(arguments, {"--batch", "--memory", "--far-memory", "--link"});
  search_briefly(options.schedule);
  const SweepFormat& format = format_of(arguments);
  const unsigned threads = jobs_of(arguments);
  const Remarks remarks = arguments.has("--quiet") ? Remarks::kQuiet : Remarks::kShown;
  check_chosen(arguments, grid.schedules, options.graph.accounting);
  Outputs outputs = open_outputs(
      arguments,
      {.networks = grid.networks, .profiles = grid.hardware, .others = {}, .keeps_partial = true});
  OutputFile& out = outputs.result;

  const SweepInputs inputs = load_sweep(grid, options);
  remark_on_dtypes(remarks, inputs.workloads, inputs.machines, options);
  for (const Workload& workload : inputs.workloads) {
    if (grid.batches.front()) remark_on(remarks, workload.path, stated_times_remark(workload));
  }
  for (const Machine& machine : inputs.machines) {
    remark_on_machine(remarks, machine, options.devices);
  }
  if (!arguments.has("--batch")) {
    for (const Workload& workload : inputs.workloads) remark_on_batch(remarks, workload, options);
  }
  grid.schedules = runnable(std::move(grid.schedules), chosen_schedules(arguments, "capacity").all,
                            inputs.machines, options, remarks);
  out.write(format.begin({.version = std::string(version()), .command = arguments.command_line()}));
  const InterruptGuard guard;
  const SweepSummary summary = run_into(out,
                                        {.grid = grid,
                                         .inputs = inputs,
                                         .options = options,
                                         .format = format.rows,
                                         .threads = threads},
                                        remarks);
  const SweepEnd end{
      .grid = grid, .inputs = inputs, .knees = summary.knees, .complete = !summary.stopped};
  if (!summary.stopped && summary.failed == summary.rows) throw SpecError(*summary.first_failure);
  out.write(format.end(end));
  if (summary.stopped) {
    if (summary.failed < summary.rows || out.is_in_place()) out.checkpoint();
    show_kept(summary, grid.rows(), out);
    end_interrupted();
  }
  out.commit();
  show_knees(end, remarks, out.is_stdout());
  show_summary(summary, remarks);
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
