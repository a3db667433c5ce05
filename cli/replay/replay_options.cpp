// Every bad value is a SpecError that names its flag. --compute means something else here than for
// predictions (what steps do, not which model prices them), so the options of the job never see it.
#include "cli/replay/replay_options.hpp"

#include <charconv>
#include <utility>

#include "cli/calibrate/calibrate_options.hpp"
#include "cli/schedule_flags.hpp"

namespace ooc {
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
  options.show_steps = arguments.has("--steps");
  return options;
}

std::string_view replay_mode_name(ReplayMode mode) {
  return mode == ReplayMode::kSpin ? "spin" : "busy";
}

}  // namespace ooc
