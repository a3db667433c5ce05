// `calibrate`: measures this machine through ooc-paleo-gpu, or takes recorded samples, and writes a
// hardware profile that predictions can use. The samples go to a file beside it after every request,
// so that whatever happens nothing measured is lost.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

#include "calibrate/session/assemble.hpp"
#include "calibrate/session/lock_file.hpp"
#include "calibrate/session/plot_svg.hpp"
#include "calibrate/session/report.hpp"
#include "calibrate/session/run_session.hpp"
#include "cli/calibrate/find_probe.hpp"
#include "cli/calibrate/network_requests.hpp"
#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/interrupt.hpp"
#include "cli/locate.hpp"
#include "cli/options.hpp"
#include "cli/output_file.hpp"
#include "cli/text_file.hpp"
#include "model/hardware/profile_json.hpp"

namespace ooc {
extern const Command calibrate_command;

namespace {

constexpr Flag kOutput{.name = "--output",
                       .brief = "-o",
                       .value = "FILE",
                       .help = "the profile; its samples go to FILE.samples.json",
                       .completes = Completes::kFiles};
constexpr Flag kQuick{.name = "--quick",
                      .brief = "",
                      .value = "",
                      .help = "the main figures in less than a minute (default)"};
constexpr Flag kFull{
    .name = "--full", .brief = "", .value = "", .help = "everything, in less than eight minutes"};
constexpr Flag kDevice{
    .name = "--device", .brief = "", .value = "N", .help = "number of the device; default 0"};
constexpr Flag kNetwork{.name = "--network",
                        .brief = "",
                        .value = "NETWORK",
                        .help = "also measure the layers of this network at --batch",
                        .completes = Completes::kNetworks};
constexpr Flag kFrom{.name = "--from",
                     .brief = "",
                     .value = "FILE",
                     .help =
                         "samples of an earlier run, or a log of ooc-paleo-gpu: measure what is "
                         "missing, or without a GPU fit them again",
                     .completes = Completes::kFiles};
constexpr Flag kDryRun{.name = "--dry-run",
                       .brief = "",
                       .value = "",
                       .help = "only say what would be measured, and how long it takes"};
constexpr Flag kName{.name = "--name",
                     .brief = "",
                     .value = "NAME",
                     .help = "the profile's name; default: the device's"};
constexpr Flag kDate{.name = "--date",
                     .brief = "",
                     .value = "YYYY-MM-DD",
                     .help = "when it was measured; default: what the samples say, else today"};
constexpr Flag kPlot{.name = "--plot",
                     .brief = "",
                     .value = "FILE",
                     .help = "also draw the transfer curves as SVG",
                     .completes = Completes::kFiles};
constexpr Flag kProbe{.name = "--probe",
                      .brief = "",
                      .value = "PATH",
                      .help =
                          "the measuring program; default: OOC_PALEO_GPU, ooc-paleo-gpu beside "
                          "this program or in PATH; none: measure nothing",
                      .completes = Completes::kFiles};
constexpr Flag kSilence{.name = "--time-limit",
                        .brief = "",
                        .value = "TIME",
                        .help = "give the measuring program up after such a silence; default 60s"};
constexpr std::array kFlags{
    kOutput, kQuick, kFull, kDevice, kNetwork, flags::kBatch,    kFrom,        kDryRun,
    kName,   kDate,  kPlot, kProbe,  kSilence, flags::kMaxInput, flags::kQuiet};

std::string device_of(const Arguments& arguments) {
  const std::string text = arguments.value("--device").value_or("0");
  if (text.empty() || text.size() > 3 ||
      text.find_first_not_of("0123456789") != std::string::npos) {
    bad_value("--device", quoted(text), "the number of a device, from 0");
  }
  return text;
}

std::optional<Effort> effort_of(const Arguments& arguments) {
  if (arguments.has("--quick") && arguments.has("--full")) {
    bad_value("--full", "it with --quick", "one of them");
  }
  if (arguments.has("--full")) return Effort::kFull;
  if (arguments.has("--quick")) return Effort::kQuick;
  return std::nullopt;
}

std::string today() {
  using namespace std::chrono;
  const year_month_day date(floor<days>(system_clock::now()));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::optional<std::string> date_of(const Arguments& arguments) {
  const auto text = arguments.value("--date");
  if (!text) return std::nullopt;
  const std::string form = "dddd-dd-dd";
  bool matches = text->size() == form.size();
  for (std::size_t i = 0; matches && i < form.size(); ++i) {
    const char c = (*text)[i];
    matches = form[i] == 'd' ? c >= '0' && c <= '9' : c == form[i];
  }
  if (!matches) bad_value("--date", quoted(*text), "a date such as 2025-01-31");
  return text;
}

int silence_ms_of(const Arguments& arguments) {
  const auto text = arguments.value("--time-limit");
  if (!text) return ChildOptions{}.silence_limit_ms;
  const std::int64_t ms = duration_of(*text, "--time-limit").count() / 1'000'000;
  if (ms < 1 || ms > 3'600'000) bad_value("--time-limit", quoted(*text), "1 ms to 60 min");
  return static_cast<int>(ms);
}

ReadLimits limits_of(const Arguments& arguments) {
  ReadLimits limits;
  if (const auto text = arguments.value("--max-input")) {
    limits.max_bytes = bytes_of(*text, "--max-input").count();
  }
  return limits;
}

/// What the command line says, checked.
struct Options {
  std::string output;
  std::optional<Effort> effort;
  std::optional<std::string> date;
  std::string device;
  std::string name;
  std::optional<std::string> from;
  int silence_ms = 0;
  bool without_probe = false;
  std::optional<std::string> probe;
  Remarks remarks = Remarks::kShown;
  ReadLimits limits;
};

Options options_of(const Arguments& arguments) {
  Options options;
  options.effort = effort_of(arguments);
  options.date = date_of(arguments);
  options.device = device_of(arguments);
  options.name = arguments.value("--name").value_or("");
  options.from = arguments.value("--from");
  options.silence_ms = silence_ms_of(arguments);
  options.probe = arguments.value("--probe");
  options.without_probe = options.probe == "none";
  if (arguments.has("--quiet")) options.remarks = Remarks::kQuiet;
  options.limits = limits_of(arguments);
  if (options.without_probe && !options.from && !arguments.has("--dry-run")) {
    bad_value("--probe", "\"none\" without --from", "samples to fit, or a program that measures");
  }
  options.output = arguments.value("--output").value_or("");
  if (arguments.has("--dry-run")) return options;
  if (options.output.empty()) bad_value("--output", "none", "the file for the profile");
  if (options.output == "-") {
    bad_value("--output", "\"-\"", "a file: the samples go beside it",
              "the report goes to standard output");
  }
  return options;
}

std::vector<KeyValues> extra_requests(const Arguments& arguments, const Options& options) {
  const auto network = arguments.value("--network");
  if (!network) {
    if (arguments.has("--batch")) bad_value("--batch", "it without --network", "both");
    return {};
  }
  const std::string path = locate(DataKind::kNetwork, *network, "--network");
  const auto text = arguments.value("--batch");
  const std::int64_t batch =
      text ? parse_batch(*text, "--batch") : batch_in_file(path, options.limits);
  NetworkRequests wanted = network_requests(path, batch, options.limits);
  for (const std::string& each : wanted.left_out) {
    remark(options.remarks, "not measured: " + each);
  }
  return std::move(wanted.requests);
}

/// The samples to begin with.
SampleSet samples_of(const Options& options) {
  if (!options.from) return {};
  return read_samples(read_text_file(*options.from, "--from", options.limits), *options.from);
}

Effort settle_effort(const Options& options, const SampleSet& set) {
  if (options.effort) return *options.effort;
  return set.effort == "full" ? Effort::kFull : Effort::kQuick;
}

/// One line on a terminal, rewritten; nothing elsewhere.
class ProgressLine {
 public:
  explicit ProgressLine(Remarks remarks)
      : shown_(remarks == Remarks::kShown && isatty(STDERR_FILENO) != 0) {}
  ~ProgressLine() {
    if (drawn_) std::fputs("\r\033[K", stderr);
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(const SessionProgress& progress) {
    if (!shown_) return;
    drawn_ = true;
    const std::string line =
        fmt::format("\r\033[K{} of {}, about {:.0f} s left: {}", progress.done, progress.total,
                    progress.seconds_left, progress.next.substr(0, 60));
    std::fputs(line.c_str(), stderr);
  }

 private:
  bool shown_;
  bool drawn_ = false;
};

std::string samples_path(const Options& options) { return options.output + ".samples.json"; }

void save_samples(const Options& options, const SampleSet& set) {
  OutputFile file("--output", samples_path(options));
  file.write(write_samples(set));
  file.commit();
}

std::string how_to_continue(const Options& options, const SampleSet& set) {
  if (set.groups.empty()) return "nothing was measured";
  return fmt::format("{} samples are kept; continue with: ooc-paleo calibrate -o {} --from {}",
                     set.count(), options.output, samples_path(options));
}

int no_device(const std::string& reason, const FoundProbe& found) {
  std::string text = "no GPU to measure: " + reason;
  for (const std::string& place : found.looked_for) text += "\n  looked for " + place;
  if (!found.looked_for.empty()) {
    text += "\n  docs/gpu-protocol.md says how to build it; --probe PATH or OOC_PALEO_GPU names it";
  }
  remark(Remarks::kShown, text);
  return kExitNoDevice;
}

/// Measures into `set`. The exit code where there is nothing to fit, none where the work goes on.
std::optional<int> measure(const Options& options, const PlanInput& wanted, SampleSet& set) {
  const FoundProbe found = find_probe(options.probe);
  if (!found.program) {
    if (!options.from) return no_device("ooc-paleo-gpu was not found", found);
    remark(options.remarks, "no ooc-paleo-gpu: fitting the samples as they are");
    return std::nullopt;
  }
  const InterruptGuard guard;
  ProbeOrNone started = start_child_probe({.program = *found.program,
                                           .arguments = {"--device", options.device},
                                           .silence_limit_ms = options.silence_ms},
                                          &InterruptGuard::interrupted);
  if (InterruptGuard::interrupted()) {
    remark(Remarks::kShown, how_to_continue(options, set));
    throw Interrupted();
  }
  if (const auto* none = std::get_if<NoProbe>(&started)) {
    if (!options.from) return no_device(none->reason, {});
    remark(options.remarks, "no GPU (" + none->reason + "): fitting the samples as they are");
    return std::nullopt;
  }
  Probe& probe = *std::get<std::unique_ptr<Probe>>(started);
  const std::string difference = machine_difference(set.machine, probe.machine());
  if (!difference.empty()) {
    bad_value("--from", "samples of another machine: " + difference, "samples of this one",
              "--probe none fits them without measuring");
  }
  // A resumed session keeps what the first one saw: memory that was free, the link when it was idle.
  if (set.machine.empty()) set.machine = probe.machine();
  set.program = probe.program();
  set.backend = probe.backend();
  if (set.date.empty()) set.date = options.date.value_or(today());
  set.effort = effort_name(wanted.effort);

  ProgressLine line(options.remarks);
  PlanInput input = wanted;
  input.machine = set.machine;
  const SessionResult result =
      run_session(probe, input, set,
                  {.save = [&](const SampleSet& now) { save_samples(options, now); },
                   .progress = [&](const SessionProgress& progress) { line.show(progress); },
                   .stop = &InterruptGuard::interrupted});
  if (result.end == SessionEnd::kStopped) {
    remark(Remarks::kShown, how_to_continue(options, set));
    throw Interrupted();
  }
  if (result.end == SessionEnd::kProbeLost) {
    remark(Remarks::kShown, "the measuring program " + result.reason);
    remark(Remarks::kShown, how_to_continue(options, set));
    return kExitNoDevice;
  }
  return std::nullopt;
}

int dry_run(const PlanInput& input, const SampleSet& set) {
  OutputFile out("stdout", "-");
  out.write(plan_report(still_missing(plan_requests(input), set), input.effort));
  out.commit();
  return kExitOk;
}

/// No output may replace what is read, or another output.
void check_apart(const Options& options, const std::optional<std::string>& plot) {
  const auto place = [](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
  };
  const auto output = place(options.output);
  const auto samples = place(samples_path(options));
  if (options.from && place(*options.from) == output) {
    bad_value("--output", quoted(options.output) + ", which --from reads", "another file");
  }
  if (!plot || *plot == "-") return;
  const auto drawn = place(*plot);
  const bool read = options.from && place(*options.from) == drawn;
  if (read || drawn == output || drawn == samples) {
    bad_value("--plot", quoted(*plot) + ", which is another file of this command",
              "a place of its own");
  }
}

int run_calibrate(const Arguments& arguments) {
  const Options options = options_of(arguments);
  SampleSet set = samples_of(options);
  PlanInput input{.effort = settle_effort(options, set),
                  .machine = set.machine,
                  .extra = extra_requests(arguments, options)};
  if (arguments.has("--dry-run")) return dry_run(input, set);

  check_apart(options, arguments.value("--plot"));
  OutputFile profile_file("--output", options.output);
  std::optional<OutputFile> plot_file;
  if (const auto plot = arguments.value("--plot")) plot_file.emplace("--plot", *plot);
  const auto lock = LockFile::take(options.output + ".lock", "--output");
  if (!lock) {
    bad_value("--output", options.output + ", which another calibration is writing",
              "one calibration at a time");
  }
  if (!options.without_probe) {
    if (const std::optional<int> code = measure(options, input, set)) return *code;
  }
  if (options.date) set.date = *options.date;
  save_samples(options, set);

  const Calibration calibration = analyse(set);
  Assembled assembled =
      assemble_profile(set, calibration, {.name = options.name, .date = set.date});
  const std::string text = write_profile(assembled.profile);
  // What the next `predict` will read, its warnings included.
  const HardwareProfile read_back = read_profile_text(text, options.output);
  profile_file.write(text);
  if (plot_file) plot_file->write(transfer_plot_svg(set, calibration));
  profile_file.commit();
  if (plot_file) plot_file->commit();
  OutputFile out("stdout", "-");
  out.write(calibration_report({.set = set,
                                .calibration = calibration,
                                .profile = read_back,
                                .remarks = assembled.remarks}));
  out.commit();
  return kExitOk;
}

}  // namespace

const Command calibrate_command{
    .name = "calibrate",
    .summary = "measure this machine and write a hardware profile",
    .examples =
        "  ooc-paleo calibrate -o my-machine.json --quick\n"
        "  ooc-paleo calibrate -o my-machine.json --full --network vgg16 --batch 64 "
        "--plot curves.svg\n"
        "  ooc-paleo calibrate -o my-machine.json --from my-machine.json.samples.json\n"
        "  ooc-paleo calibrate --dry-run --full\n",
    .positionals = {},
    .flags = kFlags,
    .run = &run_calibrate,
};

}  // namespace ooc
