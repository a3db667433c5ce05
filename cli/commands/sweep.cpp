// `sweep`: the product of the lists of its axes (simulator/predict/options.hpp), one row a configuration.
#include "simulator/predict/sweep.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/remarks.hpp"
#include "cli/sweep/grid.hpp"
#include "cli/sweep/progress.hpp"
#include "cli/sweep/row_file.hpp"
#include "cli/sweep/rows.hpp"
#include "model/base/errors.hpp"
#include "model/base/option_text.hpp"
#include "reports/writers/text_table.hpp"
#include "simulator/predict/planning.hpp"
#include "simulator/predict/remarks.hpp"

namespace ooc {
namespace {

constexpr Flag kZip{
    "--zip", {}, "lists step together, the first of each, then the second: no product"};
constexpr Flag kDryRun{"--dry-run", {}, "say how many rows there are; run and write nothing"};
constexpr Flag kRowFormat{"--format", "FORMAT", "default: what -o ends with, else csv",
                          Completes::kChoices, "csv|json|jsonl|sqlite"};
constexpr Flag kOverwrite{"--overwrite", {}, "begin the file anew, whatever it has"};
constexpr Flag kRows{"--rows", "A:B",
                     "rows A to B - 1 of all, from 0, as --dry-run counts them; `cat` puts "
                     "parts together"};
constexpr Flag kJobs{"--jobs", "N", "threads; default: as many as the machine has"};

const auto kSweepFlags =
    flags::joined(flags::of_sweeps(), {kZip, kDryRun, kRowFormat, flags::kOutput, kOverwrite, kRows,
                                       kJobs, flags::kReport, flags::kMaxInput, flags::kQuiet});

constexpr int kMaxJobs = 1024;
constexpr std::size_t kKneesShown = 40;
constexpr std::size_t kMostRowsOfPage = 10'000;

const SweepFormat& format_of(const Arguments& arguments) {
  if (const auto text = arguments.value("--format")) {
    if (const SweepFormat* format = find_sweep_format(*text)) return *format;
    unknown_word("--format", *text, {"csv", "json", "jsonl", "sqlite"});
  }
  const std::string output = arguments.output();
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
  return static_cast<unsigned>(whole_number_of(*text, "--jobs", 1, kMaxJobs));
}

/// "100:200", "100:", ":200"; what lies behind the last row is none.
RowRange rows_of(const Arguments& arguments, std::size_t rows) {
  const auto given = arguments.value("--rows");
  if (!given) return {.begin = 0, .end = rows};
  const std::string_view text = *given;
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto read = [&](std::string_view number, std::size_t unset) {
    const auto value = number.empty() ? static_cast<std::int64_t>(unset) : integer_in(number);
    if (colon == text.size() || !value || *value < 0) {
      bad_value("--rows", in_quotes(text), "A:B, such as 0:1000");
    }
    return std::min(static_cast<std::size_t>(*value), rows);
  };
  const RowRange range{.begin = read(text.substr(0, colon), 0),
                       .end = read(text.substr(std::min(colon + 1, text.size())), rows)};
  if (range.begin > range.end) bad_value("--rows", in_quotes(text), "A:B with A <= B");
  return range;
}

void show_knees(const SweepEnd& end, Remarks remarks, bool rows_on_stdout) {
  if (end.summary.knees.empty()) return;
  const Look look{.width = rows_on_stdout ? width_of(STDERR_FILENO) : width_for("-")};
  const std::string table = folded(knee_table(end, kKneesShown, look), look.width);
  if (!rows_on_stdout) return OutputFile("stdout", "-").finish(table);
  if (remarks == Remarks::kShown) std::fputs(table.c_str(), stderr);
}

/// Rows may still be under way in other threads, for however long they take.
[[noreturn]] void end_interrupted() {
  std::fputs("ooc-paleo: interrupted\n", stderr);
  std::fflush(nullptr);
  _exit(kExitInterrupted);
}

/// Where rows go: into a file that grows from run to run, or to whoever reads a stream. A JSON document, which ends with
/// what only the last row tells, is a stream.
class SweepOutput {
 public:
  /// Throws SpecError where nothing can be written.
  SweepOutput(const std::string& path, const SweepFormat& format) : path_(path) {
    if (format.name != "json" && !output_target(path).empty()) {
      lock_.emplace(path);
    } else if (format.name == "sqlite") {
      bad_value("--output", path == "-" ? "standard output" : in_quotes(path),
                "a file, which a database needs");
    } else {
      stream_.emplace("--output", path);
    }
  }

  /// How many of the job's rows are there already. Throws SpecError where the file has others.
  std::size_t begin(const SweepJob& job, const SweepFormat& format, std::string head, bool anew) {
    if (stream_) {
      put(head, {});
      return 0;
    }
    if (anew) lock_->empty();
    const bool is_database = format.name == "sqlite";
    file_ = is_database ? open_sqlite_file(*lock_, head, job.range.begin)
                        : open_text_file(*lock_, std::move(head));
    const std::size_t rows = file_->rows();
    if (rows > job.range.size()) {
      refuse_rows(*lock_, fmt::format("with {} rows", rows),
                  fmt::format("at most {}", job.range.size()));
    }
    if (job.range.size() > 0) file_->check(0, text_of_row(job, 0));
    if (rows > 1) file_->check(rows - 1, text_of_row(job, rows - 1));
    if (rows < job.range.size()) file_->go_on();
    return kept_ = rows;
  }

  /// Whole rows, and totals with them, behind `before` rows of an earlier run. A file gets them in batches, by the clock or by their size.
  void put(std::string_view text, const SweepSummary& so_far, std::size_t before = 0) {
    waiting_ += text;
    rows_ = before + so_far.rows;
    holds_ = so_far.failed == so_far.rows && waiting_.size() < kMostHeld;
    if (stream_ || waiting_.size() >= kMostWaiting) flush();
    late();
  }
  /// Called now and then while no rows come.
  void late() {
    if (Clock::now() >= next_) flush();
  }
  void finish(std::string_view end) {
    waiting_ += end;
    holds_ = false;
    flush();
    if (file_) return lock_->sync();
    stream_->commit();
  }
  void discard() {
    if (lock_) lock_->empty();
  }

  [[nodiscard]] bool grows() const { return lock_.has_value(); }
  [[nodiscard]] bool is_stdout() const { return stream_ && stream_->is_stdout(); }
  /// How many rows are where, and how to go on, of a sweep that ends before its end.
  [[nodiscard]] std::string kept(std::size_t all) const {
    return fmt::format("{} of {} rows are in {}{}", kept_, all, is_stdout() ? "the output" : path_,
                       grows() ? ": the same command goes on from there" : "");
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kBetween{100};
  static constexpr std::size_t kMostWaiting = std::size_t{1} << 16;  // bytes
  static constexpr std::size_t kMostHeld = std::size_t{1} << 20;     // bytes

  void flush() {
    if (waiting_.empty() || holds_) return;
    if (file_) {
      file_->write(waiting_);
    } else {
      stream_->write(waiting_);
      stream_->flush();
    }
    waiting_.clear();
    kept_ = rows_;
    next_ = Clock::now() + kBetween;
  }

  static std::string text_of_row(const SweepJob& job, std::size_t row) {
    std::string text;
    SweepJob one = job;
    one.threads = 1;
    one.range.begin += row;
    one.range.end = one.range.begin + 1;
    const SweepSummary summary =
        run_sweep(one, {.write = [&](std::string_view part, const SweepSummary&) { text += part; },
                        .stop = &InterruptGuard::interrupted});
    if (summary.stopped) end_interrupted();
    return text;
  }

  std::string path_;
  std::optional<OutputFile> stream_;
  std::optional<LockedFile> lock_;
  std::unique_ptr<RowFile> file_;
  std::string waiting_;
  bool holds_ = true;  ///< as yet no row could be worked out: perhaps none can, and none is written
  std::size_t rows_ = 0;  ///< with those that wait
  std::size_t kept_ = 0;  ///< without
  Clock::time_point next_ = Clock::now();
};

/// True if the error is of an option that schedules read, and rows differ in these and in prices alone.
bool concerns_all(const SweepGrid& grid, const SpecError& error) {
  const Option* option = find_option(error.parts().place);
  const bool is_given = option != nullptr && option->of_schedules != nullptr &&
                        option->flag != "--sub-batch";  // rounds may be too many without it
  return is_given && grid.units() == grid.lists().schedules.size();
}

/// Behind `before` rows of an earlier run.
SweepSummary run_into(SweepOutput& out, std::string& page, const SweepJob& job, std::size_t before,
                      Remarks remarks) {
  const std::size_t all = before + job.range.size();
  Progress progress(remarks, before, all);
  try {
    return run_sweep(job, {.write =
                               [&](std::string_view text, const SweepSummary& so_far) {
                                 const SpecError* error = so_far.first_failure.get();
                                 if (error && concerns_all(job.grid, *error)) throw *error;
                                 out.put(text, so_far, before);
                                 progress.show(before + so_far.rows);
                               },
                           .stop =
                               [&] {
                                 out.late();
                                 progress.show_again();
                                 return InterruptGuard::interrupted();
                               },
                           .page = [&](std::string_view text) { page += text; }});
  } catch (const ReaderGone&) {
    throw;
  } catch (...) {
    remark(Remarks::kShown, out.kept(all));
    throw;
  }
}

void finish_pictures(Pictures& pictures, const ToolInfo& tool, const SweepEnd& end,
                     const std::string& rows) {
  if (!pictures.wanted()) return;
  const SweepFormat& format = *find_sweep_format("json");
  const std::string json =
      format.begin(tool, inputs_at(end.grid, end.inputs, 0)) + rows + format.end(end);
  const PageDocument document{.json = json};
  pictures.finish(end.grid.lists().networks.front() + ": sweep", {&document, 1});
}

/// "8 rows, framework ideal (no overhead, exact memory): 5 ran, 2 do not fit (2 lack near memory), 1 cannot be worked
/// out, the first because of ..."; `before` more are an earlier run's.
std::string closing_line(const SweepSummary& summary, std::size_t before,
                         const SweepInputs& inputs) {
  std::string line = fmt::format("{} {}", summary.rows, summary.rows == 1 ? "row" : "rows");
  if (before > 0) line += fmt::format(" behind {} from before", before);
  for (const auto& each : inputs.frameworks) {
    const Framework& framework = framework_of(each);
    line += ", " + framework_text(framework.name, framework.meaning);
  }
  line += fmt::format(": {} ran", summary.fitting);
  if (const std::size_t lacking = summary.rows - summary.fitting - summary.failed; lacking > 0) {
    std::string causes;
    for (const auto& [lacks, rows] : summary.lacking) {
      causes += fmt::format("{}{} lack {}", causes.empty() ? "" : ", ", rows, lacks);
    }
    line += fmt::format(", {} do not fit ({})", lacking, causes);
  }
  if (summary.failed > 0) {
    line += fmt::format(", {} cannot be worked out, the first because of {}", summary.failed,
                        summary.first_failure->what());
  }
  return line;
}

/// What several rows have in common is said once.
void show_remarks(const SweepInputs& inputs, const SweepGrid& grid, Remarks remarks) {
  const SweepLists& lists = grid.lists();
  // What rows have of axes of graphs is asked for, whatever the value.
  const CaseOptions asked = options_at(grid, inputs, {}, AxisLevel::kGraph);
  remark_on_dtypes(remarks, inputs.workloads, inputs.machines, inputs.options);
  for (std::size_t i = 0; i < inputs.network_names.size(); ++i) {
    const Workload& workload = network_of(inputs, i);
    remark_on_training(remarks, workload, asked, lists.has("--batch") ? "batch" : "");
    if (lists.has("--batch")) remark_on(remarks, workload.path, stated_times_remark(workload));
  }
  for (const Machine& machine : inputs.machines)
    remark_on_machine(remarks, machine, inputs.devices);
}

/// Without the schedules, of all, that no row can have.
SweepGrid runnable_grid(SweepLists lists, const SweepInputs& inputs, bool all, Remarks remarks) {
  CaseOptions easiest = inputs.options;
  const auto& devices = lists.of("--devices");
  if (!devices.empty()) easiest.devices = static_cast<int>(*std::ranges::min_element(devices));
  const bool moves =
      lists.has("--state") || lists.has("--offload") || inputs.options.state.shard != Shard::kNone;
  if (all && moves) keep_carriers(lists.schedules);
  lists.schedules = runnable(std::move(lists.schedules), all, inputs.machines, easiest, remarks);
  if (all) {
    AxisValues& places = lists.of("--schedule");
    places.resize(lists.schedules.size());
    std::iota(places.begin(), places.end(), 0);
  }
  return SweepGrid(std::move(lists));
}

int run_sweep_command(const Arguments& arguments) {
  const SweepLists lists = sweep_lists(arguments);
  const CaseOptions& options = arguments.options;
  const SweepFormat& format = format_of(arguments);
  const unsigned threads = jobs_of(arguments);
  const Remarks remarks = arguments.remarks();
  check_chosen(arguments, lists.schedules);
  const bool all = arguments.all_schedules;
  if (arguments.has("--dry-run")) {
    const SweepInputs inputs = load_sweep(SweepGrid(lists), options);
    OutputFile("stdout", "-").finish(dry_run(runnable_grid(lists, inputs, all, remarks)));
    return kExitOk;
  }
  check_outputs(arguments, {.networks = lists.networks, .profiles = lists.hardware});
  Pictures pictures(arguments);
  SweepOutput out(arguments.output(), format);

  const SweepInputs inputs = load_sweep(SweepGrid(lists), options);
  show_remarks(inputs, SweepGrid(lists), remarks);
  const SweepGrid grid = runnable_grid(lists, inputs, all, remarks);
  const RowRange range = rows_of(arguments, grid.rows());
  if (pictures.wanted() && range.size() > kMostRowsOfPage) {
    bad_value("sweep", fmt::format("{} rows for a page", range.size()),
              fmt::format("at most {}", kMostRowsOfPage), "--rows A:B takes a part of them");
  }
  const ToolInfo tool{.version = std::string(version()), .command = arguments.command_line};
  const bool wants_knees = format.name == "json" || pictures.wanted();
  SweepJob job{.grid = grid,
               .inputs = inputs,
               .format = format.rows,
               .threads = threads,
               .most_knees = wants_knees ? grid.rows() : kKneesShown,
               .range = range};
  // Behind other rows a header would be none.
  std::string head =
      range.begin > 0 && format.name == "csv" ? "" : format.begin(tool, inputs_at(grid, inputs, 0));
  const InterruptGuard guard;
  const std::size_t there = out.begin(job, format, std::move(head), arguments.has("--overwrite"));
  if (out.grows() && there == range.size() && !pictures.wanted()) {
    remark(remarks, fmt::format("nothing to do: all {} rows are there", there));
    return kExitOk;
  }
  // A page shows all rows: those that are there are worked out again.
  if (pictures.wanted()) {
    job.page = find_sweep_format("json")->rows.row;
    job.there = there;
  }
  const std::size_t before = there - job.there;
  job.range.begin += before;
  std::string page;
  const SweepSummary summary = run_into(out, page, job, before, remarks);
  const SweepEnd end{.grid = grid, .inputs = inputs, .summary = summary};
  // Other parts may have rows that can be worked out.
  if (summary.failed == grid.rows() && !summary.stopped) {
    out.discard();
    throw SpecError(*summary.first_failure);
  }
  out.finish(format.end(end));
  if (summary.stopped) {
    remark(Remarks::kShown, out.kept(range.size()));
    end_interrupted();
  }
  finish_pictures(pictures, tool, end, page);
  show_knees(end, remarks, out.is_stdout());
  remark(remarks, closing_line(summary, before, inputs));
  return summary.fitting > 0 || before > 0 || summary.rows == 0 ? kExitOk : kExitDoesNotFit;
}

}  // namespace

extern const Command sweep_command{
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
        "--memory 12GiB,16GiB,32GiB --schedule capacity --zip\n"
        "  ooc-paleo sweep job.json --dry-run\n"
        "  ooc-paleo sweep job.json --rows 0:5000 -o 1.csv    (and 5000: into 2.csv elsewhere; "
        "then cat 1.csv 2.csv)\n",
    .positionals =
        {.name = "NETWORK",
         .help = "network files, - (standard input) or names of `ooc-paleo list networks`; or "
                 "one job file",
         .completes = Completes::kNetworks,
         .many = true},
    .flags = kSweepFlags,
    .has_rows = true,
    .run = &run_sweep_command,
};

}  // namespace ooc
