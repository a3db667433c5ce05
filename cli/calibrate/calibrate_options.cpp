// Every bad value is a SpecError that names its flag.
#include "cli/calibrate/calibrate_options.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "cli/options.hpp"
#include "cli/output_file.hpp"

namespace ooc {
namespace {

bool is_full(const Arguments& arguments) {
  if (arguments.has("--quick") && arguments.has("--full")) {
    cannot_combine("--full", "--quick", "use one of them");
  }
  return arguments.has("--full");
}

std::optional<double> within_s_of(const Arguments& arguments) {
  const auto text = arguments.value("--within");
  if (!text) return std::nullopt;
  const std::int64_t ns = duration_of(*text, "--within").count();
  if (ns < 1) bad_value("--within", in_quotes(*text), "more than nothing");
  return static_cast<double>(ns) / 1e9;
}

/// What --from does not know of the first run.
std::string flags_to_repeat(const Arguments& arguments) {
  std::string text;
  if (arguments.has("--full")) text += " --full";
  for (const FlagName flag : std::initializer_list<FlagName>{"--device", "--like", "--within"}) {
    if (const auto value = arguments.value(flag)) {
      text += " " + std::string(flag.text()) + " " + *value;
    }
  }
  return text;
}

}  // namespace

std::optional<std::string> date_option(const Arguments& arguments) {
  const auto text = arguments.value("--date");
  if (!text) return std::nullopt;
  const std::string form = "dddd-dd-dd";
  bool matches = text->size() == form.size();
  for (std::size_t i = 0; matches && i < form.size(); ++i) {
    const char c = (*text)[i];
    matches = form[i] == 'd' ? c >= '0' && c <= '9' : c == form[i];
  }
  if (!matches) bad_value("--date", in_quotes(*text), "a date such as 2025-01-31");
  return text;
}

std::string device_number_of(const Arguments& arguments) {
  const std::string text = arguments.value("--device").value_or("0");
  if (text.empty() || text.size() > 3 ||
      text.find_first_not_of("0123456789") != std::string::npos) {
    bad_value("--device", in_quotes(text), "the number of a device, from 0");
  }
  return text;
}

int silence_ms_of(const Arguments& arguments) {
  const auto text = arguments.value("--time-limit");
  constexpr int kUsualMs = 120'000;
  if (!text) return kUsualMs;
  const std::int64_t ms = duration_of(*text, "--time-limit").count() / 1'000'000;
  if (ms < 1 || ms > 3'600'000) bad_value("--time-limit", in_quotes(*text), "1 ms to 60 min");
  return static_cast<int>(ms);
}

CalibrateOptions calibrate_options(const Arguments& arguments) {
  CalibrateOptions options;
  options.report = arguments.value("--report");
  options.full = is_full(arguments);
  options.date = date_option(arguments);
  options.device = device_number_of(arguments);
  options.name = arguments.value("--name").value_or("");
  options.from = arguments.value("--from");
  options.like = arguments.value("--like");
  if (arguments.has("--time-limit")) options.request_limit_s = silence_ms_of(arguments) / 1000.0;
  options.silence_ms = silence_ms_of(arguments) + 100'000;  // until the device is open
  options.within_s = within_s_of(arguments);
  options.again = flags_to_repeat(arguments);
  options.probe = arguments.value("--probe");
  options.without_probe = options.probe == "none";
  options.remarks = arguments.remarks();
  options.limits = arguments.options.limits;
  if (options.without_probe && !options.from) {
    bad_value("--probe", "\"none\" without --from", "samples to fit, or a program that measures");
  }
  options.output = arguments.value("--output").value_or("");
  if (options.output.empty()) bad_value("--output", "none", "the file for the profile");
  if (options.output == "-") {
    bad_value("--output", "\"-\"", "a file: the samples go beside it",
              "the report goes to standard output");
  }
  return options;
}

std::string samples_path(const CalibrateOptions& options) {
  return options.output + ".samples.jsonl";
}

bool has_files_beside(const CalibrateOptions& options) {
  return !output_target(options.output).empty();
}

void check_places(const CalibrateOptions& options) {
  const auto place = [](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
  };
  const auto output = place(options.output);
  const auto samples = place(samples_path(options));
  if (options.from && place(*options.from) == output) {
    bad_value("--output", in_quotes(options.output) + ", which --from reads", "another file");
  }
  std::vector taken{output, samples};
  if (options.from) taken.push_back(place(*options.from));
  const auto& page = options.report;
  if (!page || *page == "-") return;
  if (std::ranges::find(taken, place(*page)) != taken.end()) {
    bad_value("--report", in_quotes(*page) + ", which is another file of this command",
              "a place of its own");
  }
}

}  // namespace ooc
