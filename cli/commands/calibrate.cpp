// `calibrate`: measures this machine through ooc-paleo-gpu, or takes recorded samples or a table of measured operations
// (cli/calibrate/from_operations.cpp), and writes a hardware profile that predictions can use. The samples go to a file
// beside it after every request, so that whatever happens nothing measured is lost.
#include <fmt/format.h>

#include <optional>
#include <string>

#include "calibrate/session/assemble.hpp"
#include "calibrate/session/report.hpp"
#include "cli/calibrate/calibrate_options.hpp"
#include "cli/calibrate/like.hpp"
#include "cli/calibrate/measure.hpp"
#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/locate.hpp"
#include "cli/outputs.hpp"
#include "cli/remarks.hpp"
#include "model/base/terminal_text.hpp"
#include "model/base/text_file.hpp"
#include "model/hardware/profile_json.hpp"
#include "reports/writers/text_table.hpp"

namespace ooc {
namespace {

constexpr Flag kOutput{.name = "--output",
                       .value = "FILE",
                       .help = "the profile; its samples go to FILE.samples.jsonl",
                       .completes = Completes::kFiles,
                       .brief = "-o"};
constexpr Flag kQuick{"--quick", "", "the main figures in less than a minute (default)"};
constexpr Flag kFull{"--full", "", "everything, in less than eight minutes"};
constexpr Flag kFrom{"--from", "FILE",
                     "samples of an earlier run, or what ooc-paleo-gpu printed: measure what is "
                     "missing, or without a GPU fit them again; - is standard input",
                     Completes::kInputs};
constexpr Flag kFromOperations{
    "--from-operations", "FILE",
    "no measuring: the rates of --hardware's kernels from this table (CSV) of measured "
    "operations; - is standard input",
    Completes::kInputs};
constexpr Flag kModelledBy{"--hardware", "PROFILE",
                           "with --from-operations: the machine they were measured on",
                           Completes::kHardware};
constexpr Flag kPrices{"--prices", "FILE",
                       "with --from-operations: the predicted time of each row, before "
                       "anything is fitted (CSV)",
                       Completes::kFiles};
constexpr Flag kLike{"--like", "PROFILE",
                     "the profile whose numbers stand where nothing was measured; default: the "
                     "shipped one of the device's name",
                     Completes::kHardware};
constexpr Flag kFromNvbandwidth{
    "--from-nvbandwidth", "FILE",
    "no measuring: the link of --like from the output of `nvbandwidth -j`", Completes::kInputs};
constexpr Flag kProfileName{"--name", "NAME", "the profile's name; default: the device's"};
constexpr Flag kDate{
    "--date", "YYYY-MM-DD",
    "when it was measured; default: what the samples say, or today where it measures"};
constexpr Flag kMeasuringProbe{
    "--probe", "PATH",
    "the measuring program; default: OOC_PALEO_GPU, ooc-paleo-gpu beside "
    "this program or in PATH; none: measure nothing",
    Completes::kFiles};
constexpr Flag kFitWithin{"--within", "TIME",
                          "begin nothing that would end later, and fit what there is; default "
                          "55s, or 460s with --full"};
const auto kCalibrateFlags = flags::joined(
    {}, {kOutput, kQuick, kFull, flags::kDevice, kFrom, kFromOperations, kModelledBy, kPrices,
         kLike, kFromNvbandwidth, kProfileName, kDate, flags::kReport, kMeasuringProbe, kFitWithin,
         flags::kTimeLimit, flags::kMaxInput, flags::kQuiet});

int run_calibrate(const Arguments& arguments) {
  if (arguments.has("--from-operations")) return run_from_operations(arguments);
  for (const Flag& flag : {kModelledBy, kPrices}) {
    if (arguments.has(flag)) needs_option(flag.name, "--from-operations");
  }
  if (arguments.has("--from-nvbandwidth")) return run_from_nvbandwidth(arguments);
  check_calibration(arguments);
  const ReadLimits& limits = arguments.options.limits;
  const auto from = arguments.value("--from");
  const auto like_name = arguments.value("--like");
  std::string records;
  if (from) {
    records = read_text_file(*from, "--from", limits);
    (void)read_samples(records, *from);
    records.resize(records.rfind('\n') + 1);  // without half a line that a kill left
  }
  // A name that is wrong is said before anything is measured.
  if (like_name) (void)profile_like(like_name, {}, limits);

  OutputFile profile_file("--output", arguments.output());
  Pictures pictures(arguments);
  if (arguments.value(kMeasuringProbe) == "none") {
    keep_samples(arguments, records);
  } else {
    if (const std::optional<int> code = measure(arguments, records)) return *code;
  }
  SampleSet set = read_samples(records, from.value_or(samples_path(arguments)));
  set.date = date_option(arguments).value_or(set.date);
  const HardwareProfile like = profile_like(like_name, set.machine, limits);
  if (!like_name) {
    remark(arguments.remarks(),
           fmt::format("compute as in {}; --like names another profile", like.name));
  }

  const Calibration calibration = analyse(set);
  Assembled assembled = assemble_profile(
      set, calibration,
      {.like = like, .name = arguments.value(kProfileName).value_or(""), .date = set.date});
  const std::string text = write_profile(assembled.profile);
  // What the next `predict` will read, its warnings included.
  const HardwareProfile read_back =
      read_profile_text(text, arguments.output(), {.architecture_folders = architecture_folders()});
  profile_file.finish(text);
  const ReportInput reported{
      .set = set, .calibration = calibration, .profile = read_back, .remarks = assembled.remarks};
  if (pictures.wanted()) {
    const std::string json = calibration_json(reported, version(), arguments.command_line);
    pictures.finish(read_back.name + ": calibration", {{PageDocument{.json = json}}});
  }
  const std::string told = printable(calibration_report(reported), "\n");
  OutputFile("stdout", "-").finish(folded(told, width_for("-")));
  return kExitOk;
}

}  // namespace

extern const Command calibrate_command{
    .name = "calibrate",
    .summary = "measure this machine and write a hardware profile",
    .examples =
        "  ooc-paleo calibrate -o my-machine.json --quick\n"
        "  ooc-paleo calibrate -o my-machine.json --full --report curves.html\n"
        "  ooc-paleo calibrate -o my-machine.json --from my-machine.json.samples.jsonl\n"
        "  ooc-paleo calibrate --from-operations ops.csv --hardware ./card.json -o mine.json\n"
        "  ooc-paleo calibrate --from-nvbandwidth link.json --like h100-sxm -o mine.json\n",
    .flags = kCalibrateFlags,
    .run = &run_calibrate,
};

}  // namespace ooc
