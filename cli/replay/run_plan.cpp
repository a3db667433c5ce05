// Asks the device, or the recording. What ends a replay without times is said here, because nothing comes after it.
#include "cli/replay/run_plan.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "cli/calibrate/calibrate_options.hpp"
#include "cli/calibrate/measure.hpp"
#include "cli/interrupt.hpp"
#include "cli/output_file.hpp"
#include "cli/schedule_flags.hpp"
#include "cli/text_file.hpp"

namespace ooc {
namespace {

namespace fs = std::filesystem;

int no_device_to_replay(const std::string& reason, const FoundProbe& found) {
  remark(
      Remarks::kShown,
      no_device_text("to replay on", reason, found) +
          "\n  without one: --export-plan FILE, then --import-measurements (docs/calibration.md)");
  return kExitNoDevice;
}

/// A file for the plan, which goes when the run is over.
class PlanFile {
 public:
  explicit PlanFile(const std::string& text)
      : path_((fs::temp_directory_path() / fmt::format("ooc-paleo-{}.plan", getpid())).string()) {
    OutputFile("the plan", path_).finish(text);
  }
  ~PlanFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  PlanFile(const PlanFile&) = delete;
  PlanFile& operator=(const PlanFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::variant<std::string, int> run_on_device(const ReplayOptions& options, const ReplayText& plan) {
  const FoundProbe found = find_probe(options.probe);
  if (!found.program) return no_device_to_replay("ooc-paleo-gpu was not found", found);
  const InterruptGuard guard;
  const PlanFile file(plan.text);
  std::string records;
  const auto ended = run_probe(
      *found.program, {"--only", "replay", "--replay", file.path(), "--device", options.device},
      options.silence_ms, [&](const std::string& line) { records += line; });
  if (!ended) throw Interrupted();
  if (ended->exit_code == 0) return records;
  if (const auto reason = no_device_reason(records)) return no_device_to_replay(*reason, {});
  remark(Remarks::kShown, "the measuring program " + ended->how);
  return kExitNoDevice;
}

}  // namespace

std::variant<MeasuredRun, int> run_plan(const ReplayOptions& options, const ReplayText& text,
                                        const ReplayPlan& plan) {
  std::string records;
  std::string from = "ooc-paleo-gpu";
  if (options.import) {
    from = *options.import;
    records = read_text_file(from, "--import-measurements", options.job.limits);
  } else {
    auto answer = run_on_device(options, text);
    if (const int* code = std::get_if<int>(&answer)) return *code;
    records = std::get<std::string>(std::move(answer));
  }
  auto run = read_measured_run(records, from, text.id, plan);
  if (auto* measured = std::get_if<MeasuredRun>(&run)) return std::move(*measured);
  remark(Remarks::kShown, "the device did not run the plan: " + std::get<std::string>(run));
  return kExitNoDevice;
}

// Every bad value is a SpecError that names its flag. --compute means something else here than for
// predictions (what steps do, not which model prices them), so the options of the job never see it.

namespace {

ReplayMode mode_of(const Arguments& arguments) {
  const std::string text = arguments.value("--compute").value_or("spin");
  if (text == "spin") return ReplayMode::kSpin;
  if (text == "busy") return ReplayMode::kBusy;
  unknown_word("--compute", text, {"spin", "busy"});
}

std::int64_t count_of(const Arguments& arguments, FlagName flag, std::int64_t usual,
                      std::int64_t least) {
  constexpr std::int64_t kMost = 10'000;
  const auto text = arguments.value(flag);
  if (!text) return usual;
  return whole_number_of(*text, flag.text(), least, kMost);
}

std::optional<double> tolerance_of(const Arguments& arguments) {
  const auto text = arguments.value("--tolerance");
  if (!text) return std::nullopt;
  const auto parsed = parse_ratio(*text);
  if (const auto* error = std::get_if<QuantityError>(&parsed)) {
    bad_value("--tolerance", error->found, error->expected);
  }
  const double ratio = std::get<double>(parsed);
  // A bare 10 is a ratio, a thousand per cent: a check that never fails is surely not meant.
  if (!(ratio >= 0) || ratio > 1) {
    bad_value("--tolerance", in_quotes(*text), "a share from 0 to 1, or such as \"10 %\"");
  }
  return ratio;
}

std::int64_t max_ms_of(const Arguments& arguments) {
  const auto text = arguments.value("--max-time");
  if (!text) return ReplayRun{}.max_ms;
  const std::int64_t ms = duration_of(*text, "--max-time").count() / 1'000'000;
  if (ms < 1 || ms > 3'600'000) bad_value("--max-time", in_quotes(*text), "1 ms to 60 min");
  return ms;
}

void check_together(const Arguments& arguments) {
  if (!arguments.has("--import-measurements")) return;
  for (const FlagName flag :
       std::initializer_list<FlagName>{"--probe", "--device", "--time-limit", "--max-time"}) {
    if (arguments.has(flag)) {
      cannot_combine(flag.text(), "--import-measurements", "use one of them",
                     "what is imported was measured elsewhere");
    }
  }
}

}  // namespace

ReplayOptions replay_options(const Arguments& arguments) {
  check_together(arguments);
  ReplayOptions options;
  options.network = network_of(arguments);
  options.profile = hardware_of(arguments);
  options.schedule = &chosen_schedule(arguments);
  options.job = case_options(arguments, {"--compute"});
  options.result = result_options(arguments);
  options.run.mode = mode_of(arguments);
  options.run.iterations = count_of(arguments, "--iterations", 20, 1);
  options.run.warmup = count_of(arguments, "--warmup", 3, 0);
  options.run.max_ms = max_ms_of(arguments);
  options.tolerance = tolerance_of(arguments);
  options.import = arguments.value("--import-measurements");
  options.export_only = arguments.has("--export-plan") && !options.import &&
                        !arguments.has("--probe") && !arguments.has("--device");
  options.device = device_number_of(arguments);
  options.probe = arguments.value("--probe");
  options.silence_ms = silence_ms_of(arguments);
  return options;
}

std::string_view replay_mode_name(ReplayMode mode) {
  return mode == ReplayMode::kSpin ? "spin" : "busy";
}

}  // namespace ooc
