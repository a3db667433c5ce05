// Quantities go through the same parser as in files (model/base/quantity_io), so "--memory 16" gets
// the same answer as "memory": 16.
#include "cli/options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include "cli/flags.hpp"
#include "cli/load.hpp"
#include "cli/schedule_flags.hpp"
#include "cli/state_flags.hpp"
#include "cli/symbol_flags.hpp"
#include "cli/terminal.hpp"
#include "cli/version.hpp"
#include "model/base/errors.hpp"
#include "model/base/suggest.hpp"
#include "simulator/predict/axes.hpp"
#include "simulator/predict/state_words.hpp"

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

constexpr std::array kAllocators{Allocator::kIdeal, Allocator::kFirstFit, Allocator::kBestFit,
                                 Allocator::kCaching};
constexpr std::array kComputeModels{ComputeModel::kNative, ComputeModel::kPaleo};
constexpr std::array kAccountings{Accounting::kLiveness, Accounting::kSharedGradients,
                                  Accounting::kAllGradients, Accounting::kDefineByRun};
constexpr std::array kAdamKernels{AdamKernels::kFused, AdamKernels::kForeach};
constexpr std::array kExchanges{Exchange::kEnd, Exchange::kOverlap};
constexpr std::array kModes{CopyMode::kPinned, CopyMode::kPageable};

Dtype dtype_of(std::string_view text, std::string_view flag) {
  return choice(flag, text, kNetworkDtypes, [](const DtypeInfo& info) { return info.name; }).dtype;
}

Precision precision_of(std::string_view text, std::string_view flag) {
  return choice(flag, text, kPrecisions, [](const PrecisionInfo& info) { return info.name; })
      .precision;
}

/// Gradients are wider than the precision has them, or they are not.
Dtype gradient_dtype_of(std::string_view text, std::string_view flag) {
  const PrecisionInfo& only = precision_info(Precision::kFp32);
  return choice(flag, text, std::array{only}, [](const PrecisionInfo& info) { return info.name; })
      .dtype;
}

/// What a precision decides, these decide too.
void check_precision(const CaseOptions& options) {
  const auto beside = [](std::string_view flag, std::string_view value, std::string expected) {
    bad_value(flag, fmt::format("{} beside --precision", value), std::move(expected));
  };
  if (!options.precision) {
    if (!options.graph.gradient_dtype) return;
    bad_value(flags::kGradDtype.name, "it without --precision",
              "both, as --precision bf16 beside it");
  }
  if (options.compute == ComputeModel::kPaleo) {
    beside(flags::kCompute.name, "paleo", "native: PALEO counts four bytes an element");
  }
  const Accounting rule = options.graph.accounting;
  if (rule == Accounting::kSharedGradients || rule == Accounting::kAllGradients) {
    beside(flags::kAccounting.name, accounting_name(rule),
           "liveness or define-by-run: the other rules know one element type");
  }
}

Exchange exchange_of(std::string_view text, std::string_view flag, int devices) {
  const Exchange exchange = choice(flag, text, kExchanges, &exchange_name);
  if (devices == 1) {
    bad_value(flag, in_quotes(text) + " with one device", "--devices 2 or more");
  }
  return exchange;
}

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

/// A flag and what its text changes of the options.
struct CaseFlag {
  std::string_view name;
  void (*read)(std::string_view text, std::string_view flag, CaseOptions& options);
};

/// Behind those of axes (simulator/predict/axes.cpp), in the order in which they are read: the first one that is
/// wrong is told.
constexpr CaseFlag kCaseFlags[] = {
    {flags::kDtype.name, [](auto text, auto flag, auto& to) { to.dtype = dtype_of(text, flag); }},
    {flags::kPrecision.name,
     [](auto text, auto flag, auto& to) { to.precision = precision_of(text, flag); }},
    {flags::kGradDtype.name,
     [](auto text, auto flag, auto& to) {
       to.graph.gradient_dtype = gradient_dtype_of(text, flag);
     }},
    {flags::kAccounting.name,
     [](auto text, auto flag, auto& to) {
       to.graph.accounting = choice(flag, text, kAccountings, &accounting_name);
     }},
    {flags::kOptimizer.name,
     [](auto text, auto flag, auto& to) {
       to.graph.optimizer = choice(flag, text, kOptimizers, &optimizer_name);
     }},
    {flags::kAdam.name,
     [](auto text, auto flag, auto& to) {
       to.adam = choice(flag, text, kAdamKernels, &adam_kernels_name);
     }},
    {flags::kCompute.name,
     [](auto text, auto flag, auto& to) {
       to.compute = choice(flag, text, kComputeModels, &compute_name);
     }},
    {flags::kAllocator.name,
     [](auto text, auto flag, auto& to) {
       to.allocator = choice(flag, text, kAllocators, &allocator_name);
     }},
    {flags::kExchange.name,
     [](auto text, auto flag, auto& to) { to.exchange = exchange_of(text, flag, to.devices); }},
    {flags::kMode.name,
     [](auto text, auto flag, auto& to) {
       to.transfers.mode = choice(flag, text, kModes, &copy_mode_name);
     }},
    {flags::kMaxInput.name,
     [](auto text, auto flag, auto& to) { to.limits = limits_of(text, flag); }},
};

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
  return std::any_of(names.begin(), names.end(),
                     [&](FlagName each) { return each.text() == name; });
}

}  // namespace

CaseOptions case_options(const Arguments& arguments, std::initializer_list<FlagName> but) {
  CaseOptions options;
  options.schedule = schedule_options(arguments);
  read_state_changes(arguments, options);
  const auto state =
      is_among(but, flags::kState.name) ? std::nullopt : arguments.value(flags::kState);
  if (const auto& text = state) {
    apply_state_preset(parse_state_preset(*text, flags::kState.name), options);
  }
  for (const AxisKind& axis : axis_kinds()) {
    // What graphs are made of is read below, where --seq has two lengths.
    if (axis.level == AxisLevel::kGraph) continue;
    if (axis.apply == nullptr || is_among(but, axis.flag)) continue;
    if (const auto text = arguments.value(FlagName::of(axis.flag))) {
      axis.apply(axis.parse(*text, axis.flag), options);
    }
  }
  if (const auto name = arguments.value(flags::kFramework)) {
    load_framework(options, *name, flags::kFramework.name);
  }
  options = options_beside_axes(arguments, std::move(options), but);
  check_state(options.state);
  return options;
}

CaseOptions options_beside_axes(const Arguments& arguments, CaseOptions options,
                                std::initializer_list<FlagName> but) {
  for (const CaseFlag& flag : kCaseFlags) {
    const auto text = arguments.value(FlagName::of(flag.name));
    if (text && !is_among(but, flag.name)) flag.read(*text, flag.name, options);
  }
  check_precision(options);
  if (!is_among(but, flags::kSymbol.name)) options.symbols = symbol_values(arguments);
  const KernelOptions kernels = kernel_options(arguments);
  options.families = family_folders();
  options.kernels = kernels.kernels;
  options.loss = kernels.loss;
  options.adapters = adapter_options(arguments);
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
    if (options.writer == nullptr) {
      std::vector<std::string> known;
      for (const Writer* writer : writers()) known.emplace_back(writer->name);
      unknown_word("--format", *text, known);
    }
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
  const auto value = arguments.value(flags::kHardware);
  if (!value) {
    bad_value(flags::kHardware.name, "none", "a profile file or a name of `list hardware`");
  }
  return *value;
}

std::string ending_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  const std::size_t slash = path.rfind('/');
  if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) return "";
  std::string ending = path.substr(dot + 1);
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ending;
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

std::optional<Dtype> dtype_option(const Arguments& arguments) {
  const auto text = arguments.value(flags::kDtype);
  return text ? std::optional(dtype_of(*text, flags::kDtype.name)) : std::nullopt;
}

}  // namespace ooc
