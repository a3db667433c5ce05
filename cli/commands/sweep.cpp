// `sweep`: the product of the lists of its axes (simulator/predict/axes.hpp), one row a configuration.
#include "simulator/predict/sweep.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <thread>
#include <utility>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/pictures.hpp"
#include "cli/runnable.hpp"
#include "cli/schedule_flags.hpp"
#include "cli/state_flags.hpp"
#include "cli/sweep/closing.hpp"
#include "cli/sweep/dry_run.hpp"
#include "cli/sweep/grid.hpp"
#include "cli/sweep/inputs.hpp"
#include "cli/sweep/merge.hpp"
#include "cli/sweep/page_rows.hpp"
#include "cli/sweep/progress.hpp"
#include "cli/sweep/row_store.hpp"
#include "cli/sweep/rows.hpp"
#include "cli/sweep/study_file.hpp"
#include "cli/sweep/sweep_output.hpp"
#include "cli/terminal.hpp"
#include "cli/text_file.hpp"
#include "cli/version.hpp"
#include "model/base/errors.hpp"
#include "reports/writers/folded.hpp"
#include "simulator/predict/moving_plan.hpp"
#include "simulator/predict/paged_plan.hpp"
#include "simulator/predict/stated_times.hpp"

namespace ooc {
extern const Command sweep_command;

namespace {

constexpr Flag kZip{.name = "--zip",
                    .value = {},
                    .help = "lists step together, the first of each, then the second: no product"};
constexpr Flag kDryRun{
    .name = "--dry-run",
    .value = {},
    .help = "say how many rows there are, and about how long they take; run and write nothing"};
constexpr Flag kRowFormat{.name = "--format",
                          .value = "FORMAT",
                          .help = "default: what -o ends with, else csv",
                          .completes = Completes::kChoices,
                          .choices = "csv|json|jsonl|sqlite"};
constexpr Flag kOverwrite{
    .name = "--overwrite",
    .value = {},
    .help = "begin anew; what is there stays until the new result is complete"};
constexpr Flag kShard{.name = "--shard",
                      .value = "K/N",
                      .help =
                          "the K-th of N parts, for `sweep merge OUT PARTS...`; slurm: what the "
                          "task is in its job array"};
constexpr Flag kJobs{
    .name = "--jobs", .value = "N", .help = "threads; default: as many as the machine has"};

constexpr auto kSweepOwnFlags =
    flags::joined(std::array{kZip, kDryRun, flags::kSchedulesToo, kRowFormat, flags::kOutput,
                             kOverwrite, kShard, kJobs, flags::kReport, flags::kPlot},
                  flags::kRun, flags::kStateFlags);
const auto kSweepFlags = flags::with_schedule_flags(flags::with_axes(kSweepOwnFlags));

constexpr int kMaxJobs = 1024;

const SweepFormat& format_of(const Arguments& arguments) {
  if (const auto text = arguments.value("--format")) {
    if (const SweepFormat* format = find_sweep_format(*text)) return *format;
    unknown_word("--format", *text, {"csv", "json", "jsonl", "sqlite"});
  }
  const std::string output = arguments.value("--output").value_or("-");
  const std::string ending = ending_of(output);
  const SweepFormat* format = find_sweep_format(ending.empty() ? "csv" : ending);
  if (format == nullptr) {
    bad_value("--output", in_quotes(output), "a name that ends with .csv, .json, .jsonl or .sqlite",
              "or say which it is: --format csv");
  }
  return *format;
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

std::optional<Shard> shard_of(const Arguments& arguments, const SweepFormat& format) {
  const auto text = arguments.value("--shard");
  if (!text) return std::nullopt;
  if (format.name == "json") {
    bad_value("--format", in_quotes(format.name), "sqlite, csv or jsonl beside --shard",
              "parts of one JSON document are none");
  }
  return read_shard(*text);
}

void show_knees(const SweepEnd& end, Remarks remarks, bool rows_on_stdout) {
  if (end.knees.empty()) return;
  const Look look{.width = rows_on_stdout ? width_of(STDERR_FILENO) : width_for("-")};
  const std::string table = folded(knee_table(end, kKneesKept, look), look.width);
  if (!rows_on_stdout) return OutputFile("stdout", "-").finish(table);
  if (remarks == Remarks::kShown) std::fputs(table.c_str(), stderr);
}

/// Rows may still be under way in other threads, for however long they take.
[[noreturn]] void end_interrupted() {
  std::fputs("ooc-paleo: interrupted\n", stderr);
  std::fflush(nullptr);
  _exit(kExitInterrupted);
}

/// Rows, and behind the last one of a line its knee, where the format has it there.
void write_piece(SweepOutput& out, const SweepJob& job, const SweepFormat& format,
                 std::string_view text, const SweepSummary& so_far) {
  if (format.knee == nullptr || so_far.new_knees.empty()) return out.write(text, so_far);
  std::string with_knees(text);
  for (const Knee& knee : so_far.new_knees) {
    format.knee(with_knees, job.grid, job.inputs, knee);
  }
  out.write(with_knees, so_far);
}

SweepSummary run_into(SweepOutput& out, const SweepJob& job, const SweepFormat& format,
                      KneeSpool& knees, Remarks remarks) {
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
                                 write_piece(out, job, format, text, so_far);
                                 if (format.ends_with_knees) {
                                   for (const Knee& knee : so_far.new_knees) knees.add(knee);
                                 }
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

/// Made of the rows where they went: some may be of an earlier run.
void finish_pictures(Pictures& pictures, const Arguments& arguments, const SweepFormat& format,
                     const SweepOutput& out, const SweepEnd& end, RowRange range) {
  if (!pictures.wanted()) return;
  const std::string path = arguments.value("--output").value_or("-");
  std::string rows = !out.goes_on() ? out.copy()
                     : format.name == "sqlite"
                         ? database_rows(output_target(path))
                         : read_text_file(path, "--output", read_limits(arguments));
  const std::string json = rows_as_json(
      format, std::move(rows),
      {.version = std::string(version()), .command = arguments.command_line()}, end, range);
  const std::string footnotes = sweep_footnotes(end.grid, end.inputs);
  const std::array documents{PageDocument{.name = {}, .json = json},
                             PageDocument{.name = {}, .json = footnotes}};
  pictures.finish(end.grid.lists().networks.front() + ": sweep", documents);
}

SweepOutput open_output(const Arguments& arguments, const SweepLists& lists,
                        const SweepFormat& format, std::span<const std::string> others) {
  const std::string path = arguments.value("--output").value_or("-");
  const std::string target = output_target(path);
  check_outputs(arguments,
                {.networks = lists.networks,
                 .profiles = lists.hardware,
                 .others = others,
                 .beside = target.empty() ? std::vector<std::string>() : names_beside(target)});
  return SweepOutput(path, format,
                     arguments.has("--overwrite") ? Existing::kOverwrite : Existing::kContinue);
}

/// What rows have of axes of graphs is asked for, whatever the value.
CaseOptions asked_of(const SweepInputs& inputs, const SweepLists& lists) {
  CaseOptions asked = inputs.options;
  if (!lists.symbols.empty()) asked.symbols = lists.symbols.front();
  for (std::size_t axis = 0; axis < lists.values.size(); ++axis) {
    const AxisKind& kind = axis_kinds()[axis];
    if (kind.level != AxisLevel::kGraph || kind.apply == nullptr) continue;
    if (!lists.values[axis].empty()) kind.apply(lists.values[axis].front(), asked);
  }
  return asked;
}

/// What several rows have in common is said once.
void show_remarks(const SweepInputs& inputs, const SweepLists& lists, Remarks remarks) {
  remark_on_dtypes(remarks, inputs.workloads, inputs.machines, inputs.options);
  for (std::size_t i = 0; i < inputs.network_names.size(); ++i) {
    const Workload& workload = network_of(inputs, i);
    remark_on_training(remarks, workload, asked_of(inputs, lists),
                       lists.has("--batch") ? "batch" : "");
    if (lists.has("--batch")) remark_on(remarks, workload.path, stated_times_remark(workload));
  }
  for (const Machine& machine : inputs.machines)
    remark_on_machine(remarks, machine, inputs.devices);
}

/// The options of all rows, but for the axes. How gradients are exchanged matters where a row has several devices.
CaseOptions options_of(const Arguments& arguments, const SweepLists& lists) {
  CaseOptions options;
  options.schedule = schedule_options(arguments);
  read_state_changes(arguments, options);
  const auto& devices = lists.of("--devices");
  if (!devices.empty()) {
    options.devices = static_cast<int>(devices.most());
  }
  if (const auto& precisions = lists.of("--precision"); !precisions.empty()) {
    options.precision = static_cast<Precision>(precisions.front());
  }
  options = options_beside_axes(arguments, std::move(options), {flags::kPrecision, flags::kSymbol});
  options.devices = 1;
  search_briefly(options.schedule);
  return options;
}

/// Without the schedules, of all, that no row can have.
SweepGrid runnable_grid(SweepLists lists, const SweepInputs& inputs, bool all, Remarks remarks) {
  CaseOptions easiest = inputs.options;
  const auto& devices = lists.of("--devices");
  if (!devices.empty()) {
    easiest.devices = static_cast<int>(devices.least());
  }
  if (all && (lists.has("--state") || lists.has("--offload"))) keep_carriers(lists.schedules);
  lists.schedules = runnable(std::move(lists.schedules), all, inputs.machines, easiest, remarks);
  if (all) {
    lists.of("--schedule") = AxisValues::places(lists.schedules.size());
  }
  return SweepGrid(std::move(lists));
}

SweepEnd end_of(const SweepGrid& grid, const SweepInputs& inputs, const SweepSummary& summary) {
  return {.grid = grid,
          .inputs = inputs,
          .knees = summary.knees,
          .knees_in_all = summary.knees_in_all,
          .complete = !summary.stopped};
}

/// `others`: paths that are read beside what the lists name.
int run_lists(const Arguments& arguments, std::span<const std::string> others = {}) {
  const SweepLists lists = sweep_lists(arguments);
  const CaseOptions options = options_of(arguments, lists);
  const SweepFormat& format = format_of(arguments);
  const unsigned threads = jobs_of(arguments);
  const Remarks remarks = arguments.has("--quiet") ? Remarks::kQuiet : Remarks::kShown;
  check_chosen(arguments, lists.schedules, options.graph.accounting);
  const std::optional<Shard> shard = shard_of(arguments, format);
  const bool all = compared_schedules(arguments).all;
  if (arguments.has("--dry-run")) {
    const SweepInputs inputs = load_sweep(SweepGrid(lists), options);
    const SweepGrid grid = runnable_grid(lists, inputs, all, remarks);
    OutputFile("stdout", "-")
        .finish(dry_run({.grid = grid,
                         .inputs = inputs,
                         .format = format.rows,
                         .format_name = format.name,
                         .threads = threads}));
    return kExitOk;
  }
  Pictures pictures(arguments);
  SweepOutput out = open_output(arguments, lists, format, others);
  if (pictures.wanted()) out.keep_copy();

  const SweepInputs inputs = load_sweep(SweepGrid(lists), options);
  show_remarks(inputs, lists, remarks);
  const SweepGrid grid = runnable_grid(lists, inputs, all, remarks);
  SweepIdentity identity = identity_of(
      {.arguments = arguments, .grid = grid, .inputs = inputs, .others = others, .shard = shard});
  identity.format = format.name;
  const InterruptGuard guard;
  const Standing standing =
      out.begin(identity, format.begin(identity.tool, inputs_at(grid, inputs, 0)));
  KneeSpool knees;
  for (const Knee& knee : out.take_knees()) knees.add(knee);
  const SweepSummary before = out.before();
  if (standing == Standing::kComplete) {
    show_knees(end_of(grid, inputs, before), remarks, false);
    remark(remarks, closing_line(before, 0, inputs.frameworks));
    remark(remarks, "nothing to do: they are all there; --overwrite begins anew");
    finish_pictures(pictures, arguments, format, out, end_of(grid, inputs, before), identity.range);
    return kExitOk;
  }
  const SweepSummary summary = run_into(out,
                                        {.grid = grid,
                                         .inputs = inputs,
                                         .format = format.rows,
                                         .threads = threads,
                                         .range = identity.range,
                                         .before = before},
                                        format, knees, remarks);
  SweepEnd end = end_of(grid, inputs, summary);
  end.all_knees = &knees;
  const WriteText write_end = [&](std::string_view text) { out.add_end(text); };
  if (summary.stopped) {
    if (!out.goes_on()) format.end(end, write_end);
    remark(Remarks::kShown, out.kept(summary.rows, identity.range.size()));
    end_interrupted();
  }
  // Other shards may have rows that can be worked out.
  if (summary.failed == summary.rows && !shard) {
    out.discard();
    throw SpecError(*summary.first_failure);
  }
  format.end(end, write_end);
  out.finish();
  finish_pictures(pictures, arguments, format, out, end, identity.range);
  show_knees(end, remarks, out.is_stdout());
  remark(remarks, closing_line(summary, before.rows, inputs.frameworks));
  return summary.fitting > 0 || summary.rows == 0 ? kExitOk : kExitDoesNotFit;
}

int run_sweep_command(const Arguments& arguments) {
  if (asks_to_merge(arguments)) return merge_shards(arguments);
  const auto study = find_study(arguments, kSweepFlags, read_limits(arguments));
  if (!study) return run_lists(arguments);
  try {
    return run_lists(study->with_flags_of(arguments), arguments.positionals());
  } catch (const SpecError& error) {
    throw study->located(error, arguments);
  }
}

}  // namespace

const Command sweep_command{
    .name = "sweep",
    .summary =
        "one row for each combination of networks, machines, batches, budgets, schedules, "
        "links and more",
    .examples =
        "  ooc-paleo sweep vgg16 --hardware v100-16gb-pcie3 --batch 64,128,256 "
        "--link 4GB/s:512GB/s:x2 -o results.sqlite\n"
        "  ooc-paleo sweep vgg16 resnet50 --hardware v100-16gb-pcie3 --batch 32:512:+32 "
        "--memory 8GiB:32GiB:+4GiB --schedule all -o results.json\n"
        "  ooc-paleo sweep vgg16 --hardware v100-16gb-pcie3 --batch 128,256,512 "
        "--memory 12GiB,16GiB,32GiB --zip\n"
        "  ooc-paleo sweep study.json --dry-run\n"
        "  ooc-paleo sweep study.json --shard 1/2 -o 1.csv    (and 2/2 elsewhere)\n"
        "  ooc-paleo sweep merge results.csv 1.csv 2.csv\n",
    .positionals =
        {.name = "NETWORK",
         .help = "network files, - (standard input) or names of `ooc-paleo list networks`; or "
                 "one study file; or `merge OUT PARTS...`, the files of all shards",
         .completes = Completes::kNetworks,
         .choices = {},
         .many = true},
    .flags = kSweepFlags,
    .run = &run_sweep_command,
};

}  // namespace ooc
