// Quantities go through the same parser as in files (model/base/quantity_io), so "--memory 16" gets
// the same answer as "memory": 16.
#include "cli/options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>

#include "cli/flags.hpp"
#include "cli/schedule_flags.hpp"
#include "cli/terminal.hpp"
#include "model/base/errors.hpp"
#include "model/base/suggest.hpp"

namespace ooc {
namespace {

/// The entry of `all` whose name is `word`.
template <class Value, class Name, std::size_t kCount>
Value choice(std::string_view flag, std::string_view word, const std::array<Value, kCount>& all,
             Name name) {
  std::vector<std::string> known;
  for (const Value& each : all) {
    if (name(each) == word) return each;
    known.emplace_back(name(each));
  }
  unknown_word(flag, word, known);
}

constexpr std::array kAllocators{Allocator::kIdeal, Allocator::kFirstFit, Allocator::kBestFit};
constexpr std::array kComputeModels{ComputeModel::kNative, ComputeModel::kPaleo};
constexpr std::array kAccountings{Accounting::kLiveness, Accounting::kSharedGradients,
                                  Accounting::kAllGradients, Accounting::kDefineByRun};
constexpr std::array kOptimizers{Optimizer::kSgd, Optimizer::kMomentum, Optimizer::kAdam};
constexpr int kMaxDevices = 8;
constexpr std::array kExchanges{Exchange::kEnd, Exchange::kOverlap};
constexpr std::array kModes{CopyMode::kPinned, CopyMode::kPageable};

TransferOptions transfer_options(const Arguments& arguments) {
  TransferOptions options;
  if (const auto text = arguments.value("--mode")) {
    options.mode = choice("--mode", *text, kModes, &copy_mode_name);
  }
  if (const auto text = arguments.value("--link")) options.link = rate_of(*text, "--link");
  if (const auto text = arguments.value("--far-throughput")) {
    options.far_throughput = rate_of(*text, "--far-throughput");
  }
  if (const auto text = arguments.value("--latency")) {
    options.latency = duration_of(*text, "--latency");
  }
  return options;
}

/// "N" of --devices.
int devices_of(std::string_view text) {
  int devices = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), devices);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || devices < 1 || devices > kMaxDevices) {
    bad_value("--devices", in_quotes(text),
              fmt::format("a whole number from 1 to {}", kMaxDevices));
  }
  return devices;
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

}  // namespace

CaseOptions case_options(const Arguments& arguments) {
  CaseOptions options;
  if (const auto text = arguments.value("--batch")) options.batch = parse_batch(*text, "--batch");
  if (const auto text = arguments.value("--memory")) options.memory = bytes_of(*text, "--memory");
  options.dtype = dtype_option(arguments);
  if (const auto text = arguments.value("--accounting")) {
    options.graph.accounting = choice("--accounting", *text, kAccountings, &accounting_name);
  }
  if (const auto text = arguments.value("--optimizer")) {
    options.graph.optimizer = choice("--optimizer", *text, kOptimizers, &optimizer_name);
  }
  if (const auto text = arguments.value("--compute")) {
    options.compute = choice("--compute", *text, kComputeModels, &compute_name);
  }
  if (const auto text = arguments.value("--allocator")) {
    options.allocator = choice("--allocator", *text, kAllocators, &allocator_name);
  }
  if (const auto text = arguments.value("--devices")) options.devices = devices_of(*text);
  if (const auto text = arguments.value("--exchange")) {
    options.exchange = choice("--exchange", *text, kExchanges, &exchange_name);
    if (options.devices == 1) {
      bad_value("--exchange", in_quotes(*text) + " with one device", "--devices 2 or more");
    }
  }
  options.transfers = transfer_options(arguments);
  options.schedule = schedule_options(arguments);
  options.limits = read_limits(arguments);
  return options;
}

ReadLimits read_limits(const Arguments& arguments) {
  ReadLimits limits;
  const auto text = arguments.value("--max-input");
  if (!text) return limits;
  limits.max_bytes = bytes_of(*text, "--max-input").count();
  const Int128 memory = Int128{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  if (memory > 0 && memory < limits.max_bytes) {
    bad_value("--max-input", in_quotes(*text),
              fmt::format("at most {}, the memory of this machine",
                          format_bytes(Bytes(static_cast<std::int64_t>(memory)))));
  }
  return limits;
}

ResultOptions result_options(const Arguments& arguments) {
  ResultOptions options;
  options.output = arguments.value("--output").value_or("-");
  if (const auto text = arguments.value("--format")) {
    options.writer = find_writer(*text);
    if (options.writer == nullptr) {
      std::vector<std::string> known;
      for (const Writer* writer : writers()) known.emplace_back(writer->name);
      unknown_word("--format", *text, known);
    }
  } else {
    options.writer = find_writer(format_of_name(options.output));
    if (options.writer == nullptr) options.writer = writers().front();
  }
  options.look = {.colour = colour_of(arguments, options.output),
                  .width = width_for(options.output)};
  if (arguments.has("--quiet")) options.remarks = Remarks::kQuiet;
  return options;
}

std::string required_positional(const Arguments& arguments, std::string_view name,
                                std::string_view expected) {
  if (arguments.positionals().empty()) bad_value(name, "none", std::string(expected));
  return arguments.positionals().front();
}

std::string required_value(const Arguments& arguments, const Flag& flag,
                           std::string_view expected) {
  const auto value = arguments.value(flag);
  if (!value) bad_value(flag.name, "none", std::string(expected));
  return *value;
}

std::string format_of_name(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  const std::size_t slash = path.rfind('/');
  if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) return "";
  std::string ending = path.substr(dot + 1);
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (ending == "sqlite") {
    bad_value("--output", in_quotes(path), "a name that ends with .json or .csv, or another one",
              ".sqlite is for a later version");
  }
  return ending == "json" || ending == "csv" ? ending : "";
}

std::int64_t parse_batch(std::string_view given, std::string_view flag) {
  const std::string_view text = trimmed(given);
  std::int64_t batch = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), batch);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || batch < 1 || batch > kMaxBatch) {
    bad_value(flag, in_quotes(given), fmt::format("a whole number from 1 to {}", kMaxBatch));
  }
  return batch;
}

std::optional<Dtype> dtype_option(const Arguments& arguments) {
  const auto text = arguments.value("--dtype");
  if (!text) return std::nullopt;
  return choice("--dtype", *text, kDtypes, [](const DtypeInfo& info) { return info.name; }).dtype;
}

const Schedule& schedule_named(const std::string& name, std::string_view flag) {
  if (const Schedule* schedule = find_schedule(name)) return *schedule;
  std::vector<std::string> known;
  for (const Schedule* schedule : schedules()) known.emplace_back(schedule->name);
  unknown_word(flag, name, known);
}

std::vector<const Schedule*> schedules_named(const std::string& list, std::string_view flag) {
  if (list == "all") return {schedules().begin(), schedules().end()};
  std::vector<const Schedule*> found;
  for (const std::string& name : split_list(list, flag)) {
    if (name == "all") bad_value(flag, in_quotes(list), "all alone, or names between commas");
    const Schedule* schedule = &schedule_named(name, flag);
    if (std::find(found.begin(), found.end(), schedule) != found.end()) {
      bad_value(flag, in_quotes(name) + " twice", "each schedule once");
    }
    found.push_back(schedule);
  }
  return found;
}

void check_accounting(const Schedule& schedule, Accounting accounting) {
  const bool has_lifetimes =
      accounting == Accounting::kLiveness || accounting == Accounting::kDefineByRun;
  if (has_lifetimes || (schedule.is(Trait::kMovesNothing) && !schedule.is(Trait::kRecomputes)))
    return;
  bad_value("--accounting",
            fmt::format("{} with the schedule {}", accounting_name(accounting), schedule.name),
            "liveness or define-by-run",
            "the others have no lifetimes: use them with the schedule in-core or with `inspect`");
}

}  // namespace ooc
