// `calibrate`: measures this machine through ooc-paleo-gpu, or takes recorded samples or a table of measured
// operations (cli/calibrate/from_operations.hpp), and writes a
// hardware profile that predictions can use. The samples go to a file beside it after every request,
// so that whatever happens nothing measured is lost.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>

#include "calibrate/session/assemble.hpp"
#include "calibrate/session/calibration_json.hpp"
#include "calibrate/session/lock_file.hpp"
#include "calibrate/session/plot_svg.hpp"
#include "calibrate/session/report.hpp"
#include "cli/calibrate/from_operations.hpp"
#include "cli/calibrate/measure.hpp"
#include "cli/calibrate/network_requests.hpp"
#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/locate.hpp"
#include "cli/options.hpp"
#include "cli/output_file.hpp"
#include "cli/pictures.hpp"
#include "cli/terminal.hpp"
#include "cli/text_file.hpp"
#include "cli/version.hpp"
#include "model/base/terminal_text.hpp"
#include "model/hardware/profile_json.hpp"
#include "reports/writers/folded.hpp"

namespace ooc {
extern const Command calibrate_command;

namespace {

constexpr Flag kOutput{.name = "--output",
                       .brief = "-o",
                       .value = "FILE",
                       .help = "the profile; its samples go to FILE.samples.json",
                       .completes = Completes::kFiles};
constexpr Flag kQuick{
    .name = "--quick", .value = "", .help = "the main figures in less than a minute (default)"};
constexpr Flag kFull{
    .name = "--full", .brief = "", .value = "", .help = "everything, in less than eight minutes"};
constexpr Flag kNetwork{.name = "--network",
                        .value = "NETWORK",
                        .help = "also measure the layers of this network at --batch",
                        .completes = Completes::kNetworks};
constexpr Flag kFrom{.name = "--from",
                     .value = "FILE",
                     .help =
                         "samples of an earlier run, or a log of ooc-paleo-gpu: measure what is "
                         "missing, or without a GPU fit them again; - is standard input",
                     .completes = Completes::kInputs};
constexpr Flag kFromOperations{
    .name = "--from-operations",
    .value = "FILE",
    .help =
        "no measuring: fit the kernels of --hardware to this table (CSV) of measured "
        "operations; - is standard input",
    .completes = Completes::kInputs};
constexpr Flag kModelledBy{.name = "--hardware",
                           .value = "PROFILE",
                           .help = "with --from-operations: the machine they were measured on",
                           .completes = Completes::kHardware};
constexpr Flag kArchitectures{
    .name = "--architectures",
    .value = "FOLDER",
    .help =
        "with --from-operations, in place of --hardware: fit all architectures of a folder "
        "to a table of several machines; -o is a folder, too",
    .completes = Completes::kFiles};
constexpr Flag kMachines{
    .name = "--machines",
    .value = "FILE",
    .help = "with --architectures: a table (CSV) of the machines; default: profiles of their names",
    .completes = Completes::kInputs};
constexpr Flag kKeep{.name = "--keep",
                     .value = "NUMBERS",
                     .help =
                         "with --from-operations: numbers that stay as they are, e.g. "
                         "simt.wave_tail,near_share"};
constexpr Flag kEvaluations{
    .name = "--evaluations",
    .value = "N",
    .help = "with --from-operations: effort of each of the three searches; default 1300"};
constexpr Flag kMeasureNothing{.name = "--dry-run",
                               .value = "",
                               .help = "only say what would be measured, and how long it takes"};
constexpr Flag kProfileName{
    .name = "--name", .value = "NAME", .help = "the profile's name; default: the device's"};
constexpr Flag kDate{
    .name = "--date",
    .value = "YYYY-MM-DD",
    .help = "when it was measured; default: what the samples say, or today where it measures"};
constexpr Flag kPlot{.name = "--plot",
                     .value = "FILE",
                     .help = "also draw the transfer curves as SVG",
                     .completes = Completes::kFiles};
constexpr Flag kMeasuringProbe{
    .name = "--probe",
    .value = "PATH",
    .help =
        "the measuring program; default: OOC_PALEO_GPU, ooc-paleo-gpu beside "
        "this program or in PATH; none: measure nothing",
    .completes = Completes::kFiles};
constexpr Flag kFitWithin{.name = "--within",
                          .value = "TIME",
                          .help =
                              "begin nothing that would end later, and fit what there is; default "
                              "55s, or 460s with --full"};
constexpr std::array kCalibrateFlags{kOutput,
                                     kQuick,
                                     kFull,
                                     flags::kDevice,
                                     kNetwork,
                                     flags::kBatch,
                                     flags::kDtype,
                                     kFrom,
                                     kFromOperations,
                                     kModelledBy,
                                     kArchitectures,
                                     kMachines,
                                     kKeep,
                                     kEvaluations,
                                     kMeasureNothing,
                                     kProfileName,
                                     kDate,
                                     kPlot,
                                     flags::kReport,
                                     kMeasuringProbe,
                                     kFitWithin,
                                     flags::kTimeLimit,
                                     flags::kMaxInput,
                                     flags::kQuiet};

std::vector<KeyValues> extra_requests(const Arguments& arguments, const CalibrateOptions& options) {
  const auto network = arguments.value("--network");
  if (!network) {
    for (const FlagName flag : std::initializer_list<FlagName>{"--batch", "--dtype"}) {
      if (arguments.has(flag)) bad_value(flag.text(), "it without --network", "both");
    }
    return {};
  }
  const std::string path = locate(DataKind::kNetwork, *network, "--network");
  const auto text = arguments.value("--batch");
  const std::int64_t batch =
      text ? parse_batch(*text, "--batch") : batch_in_file(path, options.limits);
  NetworkRequests wanted = network_requests(path, batch, dtype_option(arguments), options.limits);
  for (const std::string& each : wanted.left_out) {
    remark(options.remarks, "not measured: " + each);
  }
  return std::move(wanted.requests);
}

/// The samples to begin with.
SampleSet samples_of(const CalibrateOptions& options) {
  if (!options.from) return {};
  return read_samples(read_text_file(*options.from, "--from", options.limits), *options.from);
}

Effort settle_effort(const CalibrateOptions& options, const SampleSet& set) {
  if (options.effort) return *options.effort;
  return set.effort == "full" ? Effort::kFull : Effort::kQuick;
}

/// To standard output, where the terminal of a person may be narrow.
void tell(const std::string& text) {
  OutputFile("stdout", "-").finish(folded(printable(text, "\n"), width_for("-")));
}

int run_calibrate(const Arguments& arguments) {
  if (arguments.has("--from-operations")) return run_from_operations(arguments);
  check_without_operations(arguments);
  const CalibrateOptions options = calibrate_options(arguments);
  SampleSet set = samples_of(options);
  PlanInput input{.effort = settle_effort(options, set),
                  .machine = set.machine,
                  .extra = extra_requests(arguments, options)};
  if (arguments.has("--dry-run")) {
    tell(plan_report(still_missing(plan_requests(input), set), input.effort));
    return kExitOk;
  }

  check_places(options);
  OutputFile profile_file("--output", options.output);
  std::optional<OutputFile> plot_file;
  Pictures page({flags::kReport, arguments.value(flags::kReport)}, {kPlot, std::nullopt});
  if (const auto plot = arguments.value("--plot")) {
    check_plot_name("--plot", *plot);
    plot_file.emplace("--plot", *plot);
  }
  const bool beside = has_files_beside(options);
  const auto lock = beside ? LockFile::take(options.output + ".lock", "--output") : std::nullopt;
  if (beside && !lock) {
    bad_value("--output", options.output + ", which another calibration is writing",
              "one calibration at a time");
  }
  if (!options.without_probe) {
    if (const std::optional<int> code = measure(options, input, set)) return *code;
  }
  if (options.date) set.date = *options.date;
  if (set.date.empty()) remark(options.remarks, "nothing says when this was measured; --date can");
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
  const ReportInput reported{
      .set = set, .calibration = calibration, .profile = read_back, .remarks = assembled.remarks};
  if (page.wanted()) {
    const std::string json = calibration_json(reported, version(), arguments.command_line());
    page.finish(read_back.name + ": calibration", {{PageDocument{.name = {}, .json = json}}});
  }
  tell(calibration_report(reported));
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
        "  ooc-paleo calibrate --from-operations ops.csv --hardware ./card.json -o mine.json\n"
        "  ooc-paleo calibrate --dry-run --full\n",
    .positionals = {},
    .flags = kCalibrateFlags,
    .run = &run_calibrate,
};

}  // namespace ooc
