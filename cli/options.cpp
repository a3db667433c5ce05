// Quantities go through the same parser as in files (model/base/quantity_io), so "--memory 16" gets
// the same answer as "memory": 16.
#include "cli/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/flags.hpp"
#include "cli/job_file.hpp"
#include "cli/load.hpp"
#include "cli/locate.hpp"
#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/option_text.hpp"
#include "model/onnx/import_onnx.hpp"
#include "simulator/predict/options.hpp"
#include "simulator/predict/state_words.hpp"

namespace ooc {
namespace {

ReadLimits limits_of(std::string_view text, std::string_view flag) {
  const ReadLimits limits{.max_bytes = bytes_of(text, flag).count()};
  const Int128 memory = Int128{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  if (memory > 0 && memory < limits.max_bytes) {
    bad_value(flag, in_quotes(text),
              fmt::format("at most {}, the memory of this machine",
                          format_bytes(Bytes(static_cast<std::int64_t>(memory)))));
  }
  return limits;
}

Colour colour_of(const Arguments& arguments, const std::string& output) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  if (arguments.has("--no-color") || (no_color != nullptr && *no_color != '\0')) {
    return Colour::kNone;
  }
  if (output != "-" || isatty(STDOUT_FILENO) == 0) return Colour::kNone;
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return Colour::kNone;
  return Colour::kAnsi;
}

bool is_among(std::initializer_list<FlagName> names, std::string_view name) {
  return std::ranges::any_of(names, [&](FlagName each) { return each.text() == name; });
}

constexpr std::string_view kFramework = "--framework";

void read_given(const Option& option, const Arguments& arguments,
                std::initializer_list<FlagName> but, CaseOptions& options) {
  if (is_among(but, option.flag)) return;
  if (const auto text = arguments.value(option.flag)) read_option(option, *text, options);
}

/// A flag that changes what another one asks for says so where nobody asks: it would be lost.
void check_beside(const Arguments& arguments) {
  for (const Option& option : run_options()) {
    if (option.beside.empty() || !arguments.has(option.flag)) continue;
    const std::vector<std::string> others = words_of(option.beside);
    const auto is_given = [&](const std::string& each) {
      return arguments.has(std::string_view(each));
    };
    if (std::ranges::any_of(others, is_given)) continue;
    const std::string names = fmt::format("{}", fmt::join(others, " or "));
    needs_option(option.flag, names);
  }
}

}  // namespace

CaseOptions case_options(const Arguments& arguments, std::initializer_list<FlagName> but) {
  CaseOptions options = options_beside_axes(arguments, but);
  for (const Option& axis : axis_kinds()) read_given(axis, arguments, but, options);
  if (const auto name = arguments.value(kFramework)) load_framework(options, *name, kFramework);
  if (const auto text = arguments.value("--exchange"); text && options.devices == 1) {
    bad_value("--exchange", in_quotes(*text) + " with one device", "--devices 2 or more");
  }
  if (arguments.has("--exchange") && options.state.shard != Shard::kNone) {
    cannot_combine("--exchange", "--shard", "leave it out",
                   "shards are gathered and summed in units");
  }
  check_together(options);
  options.asked = job_of(arguments);
  return options;
}

CaseOptions options_beside_axes(const Arguments& arguments, std::initializer_list<FlagName> but) {
  check_beside(arguments);
  CaseOptions options;
  options.limits = read_limits(arguments);
  options.families = family_folders();
  options.onnx = &import_onnx;
  options.errors = measured_errors_table();
  for (const Option& option : run_options()) {
    if (option.column.empty()) read_given(option, arguments, but, options);
  }
  apply_state_changes(options.state_changes, options.state);
  return options;
}

ReadLimits read_limits(const Arguments& arguments) {
  const auto text = arguments.value(flags::kMaxInput);
  return text ? limits_of(*text, flags::kMaxInput.name) : ReadLimits{};
}

ResultOptions result_options(const Arguments& arguments) {
  ResultOptions options;
  options.output = arguments.value("--output").value_or("-");
  if (const auto text = arguments.value("--format")) {
    options.writer = find_writer(*text);
    if (options.writer == nullptr) unknown_word("--format", *text, names_of(writers()));
  } else {
    options.writer = find_writer(format_of_name(options.output));
    if (options.writer == nullptr) options.writer = writers().front();
  }
  options.write = {
      .tool = {.version = std::string(version()), .command = arguments.command_line()},
      .look = {.colour = colour_of(arguments, options.output), .width = width_for(options.output)}};
  if (arguments.has("--quiet")) options.remarks = Remarks::kQuiet;
  return options;
}

std::string required_positional(const Arguments& arguments, std::string_view name,
                                std::string_view expected) {
  if (arguments.positionals().empty()) bad_value(name, "none", std::string(expected));
  return arguments.positionals().front();
}

std::string network_of(const Arguments& arguments) {
  return required_positional(arguments, "NETWORK", "a network file or a name of `list networks`");
}

std::string hardware_of(const Arguments& arguments) {
  const auto value = arguments.value("--hardware");
  if (!value) bad_value("--hardware", "none", "a profile file or a name of `list hardware`");
  return *value;
}

std::string ending_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  const std::size_t slash = path.rfind('/');
  if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) return "";
  return lower_case(std::string_view(path).substr(dot + 1));
}

std::string format_of_name(const std::string& path) {
  const std::string ending = ending_of(path);
  if (ending == "sqlite") {
    bad_value("--output", in_quotes(path), "a name that ends with .json or .csv, or another one",
              "databases are what `sweep` writes");
  }
  return ending == "json" || ending == "csv" ? ending : "";
}

std::int64_t parse_batch(std::string_view text, std::string_view flag) {
  return whole_number_of(text, flag, 1, kMaxBatch);
}

namespace {

constexpr std::int64_t kMostFigures = 1'000'000;

std::shared_ptr<const std::vector<MeasuredErrors>> read_table() {
  for (const std::string& folder : data_folders()) {
    const std::string path = folder + "/validation/errors/by_kind.json";
    if (!std::filesystem::exists(path)) continue;
    const SpecDocument document = read_spec_file(path);
    const SpecView root(document);
    (void)root.get("format").as_choice({"ooc-paleo/errors"});
    std::vector<MeasuredErrors> table;
    for (const SpecView& item : root.get("kinds").items()) {
      table.push_back({.kind = item.get("group").as_text(),
                       .figures = item.get("figures").as_integer(1, kMostFigures),
                       .median = item.get("median").as_number(),
                       .largest = item.get("largest").as_number(),
                       .bias = item.get("bias").as_number(),
                       .lowest = item.get("lowest").as_number(),
                       .highest = item.get("highest").as_number()});
    }
    const auto ratios =
        std::ranges::find_if(table, [](const auto& each) { return each.kind == kRatioKind; });
    const double ratio = ratios == table.end() ? 0 : ratios->median;
    for (MeasuredErrors& each : table) each.ratio = ratio;
    return std::make_shared<const std::vector<MeasuredErrors>>(std::move(table));
  }
  return nullptr;
}

}  // namespace

std::shared_ptr<const std::vector<MeasuredErrors>> measured_errors_table() {
  static const auto table = read_table();
  return table;
}

}  // namespace ooc
