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
#include "cli/sweep/closing.hpp"
#include "cli/sweep/grid.hpp"
#include "cli/sweep/inputs.hpp"
#include "cli/sweep/progress.hpp"
#include "cli/sweep/rows.hpp"
#include "cli/sweep/sweep_output.hpp"
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
                       .choices = "csv|json|jsonl|sqlite"};
constexpr Flag kOverwrite{
    .name = "--overwrite",
    .value = "",
    .help = "begin anew; what is there stays until the new result is complete"};
constexpr Flag kJobs{
    .name = "--jobs", .value = "N", .help = "threads; default: as many as the machine has"};

constexpr auto kOwnFlags =
    flags::joined(std::array{kHardware, kBatch, kLink, kMemory, kFarMemory, kSchedule,
                             flags::kSchedulesToo, kFormat, flags::kOutput, kOverwrite, kJobs},
                  flags::kRun);
const auto kFlags = flags::with_schedule_flags(kOwnFlags);

constexpr std::size_t kKneesShown = 40;
constexpr int kMaxJobs = 1024;

const SweepFormat& format_of(const Arguments& arguments) {
  if (const auto text = arguments.value("--format")) {
    if (const SweepFormat* format = find_sweep_format(*text)) return *format;
    unknown_word("--format", *text, {"csv", "json", "jsonl", "sqlite"});
  }
  const std::string output = arguments.value("--output").value_or("-");
  const SweepFormat* format = find_sweep_format(ending_of(output));
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

/// Rows may still be under way in other threads, for however long they take.
[[noreturn]] void end_interrupted() {
  std::fputs("ooc-paleo: interrupted\n", stderr);
  std::fflush(nullptr);
  _exit(kExitInterrupted);
}

SweepSummary run_into(SweepOutput& out, const SweepJob& job, Remarks remarks) {
  Progress progress(remarks, job.before.rows, job.range.size());
  std::size_t written = job.before.rows;
  const auto stop = [&] {
    out.late();
    progress.show_again();
    return InterruptGuard::interrupted();
  };
  try {
    return run_sweep(job, {.write =
                               [&](std::string_view text, const SweepSummary& so_far) {
                                 out.write(text, so_far);
                                 progress.show(written = so_far.rows);
                               },
                           .stop = stop,
                           .takes_rows_ahead = !out.goes_on()});
  } catch (const ReaderGone&) {
    throw;
  } catch (...) {
    remark(Remarks::kShown, out.kept(written, job.range.size()));
    throw;
  }
}

SweepOutput open_output(const Arguments& arguments, const SweepGrid& grid,
                        const SweepFormat& format) {
  const std::string path = arguments.value("--output").value_or("-");
  const std::string target = output_target(path);
  check_outputs(arguments,
                {.networks = grid.networks,
                 .profiles = grid.hardware,
                 .others = {},
                 .beside = target.empty() ? std::vector<std::string>() : names_beside(target)});
  return SweepOutput(path, format,
                     arguments.has("--overwrite") ? Existing::kOverwrite : Existing::kContinue);
}

SweepInputs load_with_remarks(const Arguments& arguments, const SweepGrid& grid,
                              CaseOptions& options, Remarks remarks) {
  SweepInputs inputs = load_sweep(grid, options);
  remark_on_dtypes(remarks, inputs.workloads, inputs.machines, options);
  for (const Workload& workload : inputs.workloads) {
    if (grid.batches.front()) remark_on(remarks, workload.path, stated_times_remark(workload));
    if (!arguments.has("--batch")) remark_on_batch(remarks, workload, options);
  }
  for (const Machine& machine : inputs.machines) {
    remark_on_machine(remarks, machine, options.devices);
  }
  return inputs;
}

int run_sweep_command(const Arguments& arguments) {
  SweepGrid grid = sweep_grid(arguments);
  CaseOptions options = case_options(arguments, {"--batch", "--memory", "--far-memory", "--link"});
  const SweepFormat& format = format_of(arguments);
  const unsigned threads = jobs_of(arguments);
  const Remarks remarks = arguments.has("--quiet") ? Remarks::kQuiet : Remarks::kShown;
  check_chosen(arguments, grid.schedules, options.graph.accounting);
  SweepOutput out = open_output(arguments, grid, format);

  const SweepInputs inputs = load_with_remarks(arguments, grid, options, remarks);
  grid.schedules = runnable(std::move(grid.schedules), chosen_schedules(arguments, "capacity").all,
                            inputs.machines, options, remarks);
  SweepIdentity identity = identity_of(arguments, inputs, options);
  identity.format = format.name;
  identity.rows = grid.rows();
  identity.range = {.begin = 0, .end = grid.rows()};
  const InterruptGuard guard;
  const Standing standing = out.begin(identity);
  const SweepSummary before = out.before();
  if (standing == Standing::kComplete) {
    show_knees({.grid = grid, .inputs = inputs, .knees = before.knees}, remarks, false);
    remark(remarks, closing_line(before, 0));
    remark(remarks, "nothing to do: they are all there; --overwrite begins anew");
    return kExitOk;
  }
  const SweepSummary summary = run_into(out,
                                        {.grid = grid,
                                         .inputs = inputs,
                                         .options = options,
                                         .format = format.rows,
                                         .threads = threads,
                                         .range = identity.range,
                                         .before = before},
                                        remarks);
  const SweepEnd end{
      .grid = grid, .inputs = inputs, .knees = summary.knees, .complete = !summary.stopped};
  if (summary.stopped) {
    if (!out.goes_on()) out.write(format.end(end), summary);
    remark(Remarks::kShown, out.kept(summary.rows, grid.rows()));
    end_interrupted();
  }
  if (summary.failed == summary.rows) {
    out.discard();
    throw SpecError(*summary.first_failure);
  }
  out.finish(format.end(end));
  show_knees(end, remarks, out.is_stdout());
  remark(remarks, closing_line(summary, before.rows));
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
        "--link 4GB/s:512GB/s:x2 -o results.sqlite\n"
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
