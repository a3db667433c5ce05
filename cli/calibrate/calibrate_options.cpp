// Every bad value is a SpecError that names its flag.
#include "cli/calibrate/calibrate_options.hpp"

#include <filesystem>
#include <system_error>
#include <vector>

#include "cli/outputs.hpp"
#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/option_text.hpp"

namespace ooc {
namespace {

void check_places(const Arguments& arguments) {
  const auto place = [](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
  };
  const auto output = place(arguments.output());
  const auto from = arguments.value("--from");
  if (from && place(*from) == output) {
    bad_value("--output", in_quotes(arguments.output()) + ", which --from reads", "another file");
  }
  std::vector taken{output, place(samples_path(arguments))};
  if (from) taken.push_back(place(*from));
  const auto page = arguments.value("--report");
  if (!page || *page == "-") return;
  if (contains(taken, place(*page))) {
    bad_value("--report", in_quotes(*page) + ", which is another file of this command",
              "a place of its own");
  }
}

}  // namespace

void check_calibration(const Arguments& arguments) {
  if (arguments.has("--quick") && arguments.has("--full")) {
    cannot_combine("--full", "--quick", "use one of them");
  }
  (void)date_option(arguments);
  (void)device_number_of(arguments);
  (void)silence_ms_of(arguments);
  (void)within_s_of(arguments);
  if (arguments.value("--probe") == "none" && !arguments.has("--from")) {
    bad_value("--probe", "\"none\" without --from", "samples to fit, or a program that measures");
  }
  const std::string output = arguments.value("--output").value_or("");
  if (output.empty()) bad_value("--output", "none", "the file for the profile");
  if (output == "-") {
    bad_value("--output", "\"-\"", "a file: the samples go beside it",
              "the report goes to standard output");
  }
  check_places(arguments);
}

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

std::optional<double> within_s_of(const Arguments& arguments) {
  const auto text = arguments.value("--within");
  if (!text) return std::nullopt;
  const std::int64_t ns = duration_of(*text, "--within").count();
  if (ns < 1) bad_value("--within", in_quotes(*text), "more than nothing");
  return static_cast<double>(ns) / 1e9;
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

std::string samples_path(const Arguments& arguments) {
  return arguments.output() + ".samples.jsonl";
}

bool has_files_beside(const Arguments& arguments) {
  return !output_target(arguments.output()).empty();
}

}  // namespace ooc
