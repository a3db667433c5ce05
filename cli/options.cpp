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
#include "cli/suggest.hpp"
#include "cli/terminal.hpp"
#include "model/base/errors.hpp"

namespace ooc {
namespace {

template <class Value>
Value value_of(Parsed<Value> parsed, std::string_view flag) {
  if (auto* error = std::get_if<QuantityError>(&parsed)) {
    bad_value(flag, std::move(error->found), std::move(error->expected));
  }
  return std::get<Value>(parsed);
}

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
constexpr std::array kModes{std::string_view("pinned"), std::string_view("pageable")};

TransferOptions transfer_options(const Arguments& arguments) {
  TransferOptions options;
  if (const auto text = arguments.value("--mode")) {
    options.mode = choice("--mode", *text, kModes, [](std::string_view name) { return name; });
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
    bad_value("--devices", quoted(text), fmt::format("a whole number from 1 to {}", kMaxDevices));
  }
  return devices;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
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
      bad_value("--exchange", quoted(*text) + " with one device", "--devices 2 or more");
    }
  }
  options.transfers = transfer_options(arguments);
  options.schedule = schedule_options(arguments);
  options.layer_times = arguments.value("--layer-times");
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
    bad_value("--max-input", quoted(*text),
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
  const auto value = arguments.value(flag.name);
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
    bad_value("--output", quoted(path), "a name that ends with .json or .csv, or another one",
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
    bad_value(flag, quoted(given), fmt::format("a whole number from 1 to {}", kMaxBatch));
  }
  return batch;
}

std::optional<Dtype> dtype_option(const Arguments& arguments) {
  const auto text = arguments.value("--dtype");
  if (!text) return std::nullopt;
  return choice("--dtype", *text, kDtypes, [](const DtypeInfo& info) { return info.name; }).dtype;
}

Bytes bytes_of(std::string_view text, std::string_view flag) {
  return value_of(parse_bytes(trimmed(text)), flag);
}

BytesPerSecond rate_of(std::string_view text, std::string_view flag) {
  const BytesPerSecond rate = value_of(parse_rate(trimmed(text)), flag);
  if (rate.count() <= 0) {
    bad_value(flag, quoted(text), "a rate greater than 0, such as \"12 GB/s\", or inf");
  }
  return rate;
}

Duration duration_of(std::string_view text, std::string_view flag) {
  return value_of(parse_duration(trimmed(text)), flag);
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
    if (name == "all") bad_value(flag, quoted(list), "all alone, or names between commas");
    const Schedule* schedule = &schedule_named(name, flag);
    if (std::find(found.begin(), found.end(), schedule) != found.end()) {
      bad_value(flag, quoted(name) + " twice", "each schedule once");
    }
    found.push_back(schedule);
  }
  return found;
}

void check_accounting(const Schedule& schedule, Accounting accounting) {
  const bool has_lifetimes =
      accounting == Accounting::kLiveness || accounting == Accounting::kDefineByRun;
  if (has_lifetimes || (!schedule.moves_tensors && !schedule.recomputes)) return;
  bad_value("--accounting",
            fmt::format("{} with the schedule {}", accounting_name(accounting), schedule.name),
            "liveness or define-by-run",
            "the others have no lifetimes: use them with the schedule in-core or with `inspect`");
}

std::vector<std::string> split_list(const std::string& list, std::string_view flag) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t comma = list.find(',', begin);
    parts.emplace_back(trimmed(std::string_view(list).substr(begin, comma - begin)));
    if (parts.back().empty()) {
      bad_value(flag, quoted(list), "values between single commas", "one of them is empty");
    }
    if (comma == std::string::npos) return parts;
    begin = comma + 1;
  }
}

std::string quoted(std::string_view text) { return in_quotes(text); }

void bad_value(std::string_view flag, std::string found, std::string expected, std::string hint) {
  throw SpecError({.file = "",
                   .place = std::string(flag),
                   .found = std::move(found),
                   .expected = std::move(expected),
                   .hint = std::move(hint)});
}

void unknown_word(std::string_view flag, std::string_view word,
                  const std::vector<std::string>& known) {
  bad_value(flag, quoted(word), fmt::format("one of: {}", fmt::join(known, ", ")),
            did_you_mean(word, known));
}

std::string_view allocator_name(Allocator allocator) {
  switch (allocator) {
    case Allocator::kIdeal:
      return "ideal";
    case Allocator::kFirstFit:
      return "first-fit";
    case Allocator::kBestFit:
      return "best-fit";
  }
  return "";
}

std::string_view exchange_name(Exchange exchange) {
  return exchange == Exchange::kEnd ? "end" : "overlap";
}

std::string_view compute_name(ComputeModel model) {
  return model == ComputeModel::kNative ? "native" : "paleo";
}

}  // namespace ooc
