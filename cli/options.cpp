// Quantities go through the same parser as in files (model/base/quantity_io), so "--memory 16" gets
// the same answer as "memory": 16.
#include "cli/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "cli/job_file.hpp"
#include "cli/locate.hpp"
#include "model/base/named.hpp"
#include "model/base/terminal_text.hpp"
#include "model/onnx/import_onnx.hpp"
#include "simulator/predict/options.hpp"
#include "simulator/predict/planning.hpp"
#include "simulator/predict/state_words.hpp"
#include "simulator/summary/metrics.hpp"

namespace ooc {
namespace {

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

ResultOptions result_options(const Arguments& arguments) {
  ResultOptions options;
  const std::string output = arguments.output();
  if (const auto text = arguments.value("--format")) {
    options.writer = find_writer(*text);
    if (options.writer == nullptr) unknown_word("--format", *text, names_of(writers()));
  } else {
    options.writer = find_writer(format_of_name(output));
    if (options.writer == nullptr) options.writer = writers().front();
  }
  options.remarks = arguments.remarks();
  options.write = {.tool = {.version = std::string(version()), .command = arguments.command_line},
                   .look = {.colour = colour_of(arguments, output), .width = width_for(output)}};
  return options;
}

/// Flags whose options are read with the table, in its order.
std::vector<const GivenFlag*> given_options(const Arguments& arguments) {
  std::vector<const GivenFlag*> given;
  for (const GivenFlag& each : arguments.flags) {
    if (each.flag->option != nullptr) given.push_back(&each);
  }
  std::ranges::sort(given, {}, [](const GivenFlag* each) { return each->flag->option; });
  return given;
}

/// A flag that changes what another one asks for says so where nobody asks: it would be lost.
void check_beside(const Arguments& arguments) {
  for (const GivenFlag* given : given_options(arguments)) {
    const Option& option = *given->flag->option;
    if (option.beside.empty()) continue;
    const std::vector<std::string> others = words_of(option.beside);
    const auto is_given = [&](const std::string& each) {
      return arguments.has(std::string_view(each));
    };
    if (std::ranges::any_of(others, is_given)) continue;
    const std::string names = fmt::format("{}", fmt::join(others, " or "));
    needs_option(option.flag, names);
  }
}

/// How gradients are exchanged matters where a run or a row has several devices.
void check_exchange(const Arguments& arguments) {
  const auto text = arguments.value("--exchange");
  if (!text) return;
  const AxisValues& devices = arguments.lists[axis_place("--devices")];
  const bool one = std::ranges::count(devices, 1) == std::ssize(devices);
  if (one && arguments.options.devices == 1) {
    bad_value("--exchange", in_quotes(*text) + " with one device", "--devices 2 or more");
  }
  if (devices.empty() && arguments.options.state.shard != Shard::kNone) {
    cannot_combine("--exchange", "--shard", "leave it out",
                   "shards are gathered and summed in units");
  }
}

void read_given(const GivenFlag& given, Arguments& arguments) {
  const Option& option = *given.flag->option;
  const std::string& text = given.values.front();
  if (!given.flag->takes_list()) return read_option(option, text, arguments.options);
  if (option.values.parse == nullptr) return;  // names, of files and schedules
  const Repeats repeats = arguments.has("--zip") ? Repeats::kAllowed : Repeats::kRefused;
  AxisValues& values = arguments.lists[axis_place(option.flag)];
  values = axis_values(option, text, repeats);
  if (values.size() == 1 && !arguments.command->has_rows)
    option.apply(values.front(), arguments.options);
}

/// Options that results have in words of their own, in titles or tables.
constexpr std::string_view kInWords[] = {
    "--framework", "--precision", "--dtype",      "--symbol",          "--target-seq", "--seq",
    "--hardware",  "--batch",     "--devices",    "--expert-parallel", "--memory",     "--schedule",
    "--exchange",  "--allocator", "--accumulate", "--layer-times"};

bool is_usual(std::string_view key, std::string_view text) {
  return std::ranges::any_of(metrics(), [&](const Metric& each) {
    return each.name == key && metric_text(each.read({})) == text;
  });
}

/// "link 16 GB/s", "update in backward": what is given that has other words nowhere and is not usual.
std::vector<std::string> words_of_given(const std::vector<const GivenFlag*>& given) {
  std::vector<std::string> words;
  for (const GivenFlag* each : given) {
    const Option& option = *each->flag->option;
    std::string text = each->values.front();
    const bool is_said = contains(kInWords, option.flag) || option.of_schedules != nullptr;
    if (is_said || is_usual(option_key(option.flag), text)) continue;
    const bool is_one = option.values.show != nullptr && !each->flag->takes_list();
    if (is_one) text = option.values.show(option.values.parse(text, option.flag));
    words.push_back(option_label(option) + (text.empty() ? "" : " ") + text);
  }
  return words;
}

constexpr std::string_view kSchedule = "--schedule";

const Schedule& schedule_named(const std::string& name) {
  if (const Schedule* schedule = find_schedule(name)) return *schedule;
  unknown_word(kSchedule, name, names_of(schedules()));
}

/// The schedules of "all" or of comma-separated names.
std::vector<const Schedule*> schedules_named(const std::string& list) {
  if (list == "all") return {schedules().begin(), schedules().end()};
  std::vector<const Schedule*> found;
  for (const std::string& name : split_list(list, kSchedule)) {
    if (name == "all") bad_value(kSchedule, in_quotes(list), "all alone, or names between commas");
    const Schedule* schedule = &schedule_named(name);
    if (contains(found, schedule)) {
      bad_value(kSchedule, in_quotes(name) + " twice", "each schedule once");
    }
    found.push_back(schedule);
  }
  return found;
}

std::string list_of(std::span<const Schedule* const> chosen) {
  return fmt::format("{}", fmt::join(names_of(chosen, &Schedule::name), ", "));
}

std::string readers_of(std::string_view flag) {
  std::vector<const Schedule*> readers;
  std::ranges::copy_if(schedules(), std::back_inserter(readers),
                       [&](const Schedule* each) { return reads(*each, flag); });
  return list_of(readers);
}

}  // namespace

void read_schedules(Arguments& arguments) {
  const Flag* flag = find_named(arguments.command->flags, kSchedule);
  if (flag == nullptr) return;
  const bool usually_all =
      flag->takes_list() && flag->option != nullptr;  // not `fit`, whose flag is its own
  const std::string list = arguments.value(kSchedule).value_or(usually_all ? "all" : "capacity");
  if (flag->takes_list()) {
    arguments.schedules = schedules_named(list);
    arguments.all_schedules = list == "all";
    return;
  }
  if (list == "all" || list.find(',') != std::string::npos) {
    bad_value(kSchedule, in_quotes(list), "one schedule", "`ooc-paleo compare` takes several");
  }
  arguments.schedules = {&schedule_named(list)};
}

void read_options(Arguments& arguments) {
  const Command& command = *arguments.command;
  arguments.result.remarks = arguments.remarks();
  if (!command.has_rows && find_named(command.flags, "--format") != nullptr) {
    arguments.result = result_options(arguments);
  }
  const bool has_any =
      std::ranges::any_of(command.flags, [](const Flag& flag) { return flag.option != nullptr; });
  if (!has_any) return;
  check_beside(arguments);
  CaseOptions& options = arguments.options;
  options.families = family_folders();
  options.onnx = &import_onnx;
  options.errors = measured_errors_table();
  const std::vector<const GivenFlag*> given = given_options(arguments);
  for (const GivenFlag* each : given) {
    if (each->flag->option->column.empty()) read_given(*each, arguments);
  }
  apply_state_changes(options.state_changes, options.state);
  for (const GivenFlag* each : given) {
    if (!each->flag->option->column.empty()) read_given(*each, arguments);
  }
  check_exchange(arguments);
  read_schedules(arguments);
  const AxisValues& precisions = arguments.lists[axis_place("--precision")];
  if (!precisions.empty()) options.precision = static_cast<Precision>(precisions.front());
  check_together(options);
  if (command.has_rows) return;
  options.asked = job_of(arguments);
  options.given = words_of_given(given);
}

std::string required_positional(const Arguments& arguments, std::string_view name,
                                std::string_view expected) {
  if (arguments.positionals.empty()) bad_value(name, "none", std::string(expected));
  return arguments.positionals.front();
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
  const auto path = in_data_folders({"validation/errors/by_kind.json"});
  if (!path) return nullptr;
  const SpecDocument document = read_spec_file(*path);
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
  const MeasuredErrors* ratios = find_named(table, kRatioKind, &MeasuredErrors::kind);
  const double ratio = ratios == nullptr ? 0 : ratios->median;
  for (MeasuredErrors& each : table) each.ratio = ratio;
  return std::make_shared<const std::vector<MeasuredErrors>>(std::move(table));
}

}  // namespace

std::shared_ptr<const std::vector<MeasuredErrors>> measured_errors_table() {
  static const auto table = read_table();
  return table;
}

// A flag that no chosen schedule reads is refused, since it would silently change nothing.

void check_chosen(const Arguments& arguments, std::span<const Schedule* const> chosen) {
  for (const ScheduleOption& flag : schedule_option_table()) {
    if (!arguments.has(flag.name)) continue;
    const bool read = std::ranges::any_of(
        chosen, [&](const Schedule* schedule) { return reads(*schedule, flag.name); });
    if (read) continue;
    cannot_combine(flag.name, "--schedule " + list_of(chosen),
                   "use a schedule that reads it: " + readers_of(flag.name));
  }
}

namespace {

void check_runs(const Schedule& schedule, const Machine& machine, const CaseOptions& options) {
  check_passes(options, machine.profile, &schedule);
  check_modes(schedule, machine);
}

/// Why the schedule does not run on one of the machines.
std::optional<std::string> why_not(const Schedule& schedule, std::span<const Machine> machines,
                                   const CaseOptions& options) {
  const bool one_pool = std::ranges::all_of(
      machines, [](const Machine& machine) { return machine.profile.one_pool; });
  if (one_pool && !schedule.is(Trait::kMovesNothing)) {
    return "moving gains nothing here: one pool of memory";
  }
  for (const Machine& machine : machines) {
    try {
      check_runs(schedule, machine, options);
    } catch (const SpecError& error) {
      return (machines.size() > 1 ? machine.profile.name + ": " : "") + error.what();
    }
  }
  return std::nullopt;
}

/// Nobody asked for what none of the machines can do.
bool is_expected(const Schedule& schedule, std::span<const Machine> machines) {
  return std::ranges::all_of(machines, [&](const Machine& machine) {
    const std::string mode = missing_mode(schedule, machine.profile);
    return !mode.empty() && machine.profile.connection.impossible_modes.contains(mode);
  });
}

}  // namespace

std::vector<const Schedule*> runnable(std::vector<const Schedule*> chosen, bool all,
                                      std::span<const Machine> machines, const CaseOptions& options,
                                      Remarks remarks) {
  if (!all) {
    for (const Schedule* schedule : chosen) {
      for (const Machine& machine : machines) check_runs(*schedule, machine, options);
    }
    return chosen;
  }
  std::string left_out;
  std::string why;
  std::erase_if(chosen, [&](const Schedule* schedule) {
    std::optional<std::string> reason = why_not(*schedule, machines, options);
    if (!reason) return false;
    if (is_expected(*schedule, machines)) return true;
    left_out += (left_out.empty() ? "" : ", ") + std::string(schedule->name);
    if (why.empty()) why = *std::move(reason);
    return true;
  });
  if (!why.empty()) remark(remarks, fmt::format("remark: without {}: {}", left_out, why));
  return chosen;
}

}  // namespace ooc
