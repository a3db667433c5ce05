// A subcommand: a const struct with a function in it. One file per subcommand in cli/commands/; the
// table of all of them is generated from the list of names in cli/CMakeLists.txt. What a subcommand
// accepts is data, so that parsing, --help, "did you mean" and shell completion share one truth.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ooc {

/// The exit codes of the program (docs/architecture.md, 5).
enum ExitCode : int {
  kExitOk = 0,
  kExitBadInput = 2,
  kExitDoesNotFit = 3,
  kExitFailedCheck = 4,
  kExitNoDevice = 5,
  kExitInternal = 70,
  kExitInterrupted = 130,
};

inline constexpr std::string_view kExitCodes =
    "0 ok, 2 bad input, 3 does not fit in memory, 4 a check failed, 5 no GPU, 70 our bug, 130 "
    "interrupted";

/// What completes a flag's value in a shell. kInputs: files that are read, kFiles: other ones.
enum class Completes {
  kNothing,
  kFiles,
  kInputs,
  kNetworks,
  kHardware,
  kFrameworks,
  kRows,
  kSchedules,
  kChoices
};

/// One flag. `value` names its value in --help; empty for a switch.
struct Flag {
  std::string_view name;        ///< "--hardware"
  std::string_view brief = {};  ///< "-o", or empty
  std::string_view value = {};
  std::string_view help;
  Completes completes = Completes::kNothing;
  std::string_view choices = {};  ///< kChoices: "table|json|csv"
  bool many = false;              ///< takes several values and may be repeated
};

/// Every flag that is looked up by its name in the sources. Options of schedules are looked up by their rows in
/// simulator/schedules/option_table.cpp (FlagName::of), and need not stand here.
inline constexpr std::string_view kFlagNames[] = {"--accounting",
                                                  "--adam",
                                                  "--algorithms",
                                                  "--allocator",
                                                  "--allow-long",
                                                  "--architecture",
                                                  "--base",
                                                  "--batch",
                                                  "--compute",
                                                  "--compute-scale",
                                                  "--cudnn",
                                                  "--date",
                                                  "--device",
                                                  "--devices",
                                                  "--dry-run",
                                                  "--dtype",
                                                  "--duplex",
                                                  "--exchange",
                                                  "--export-plan",
                                                  "--export-policy",
                                                  "--far-memory",
                                                  "--far-throughput",
                                                  "--format",
                                                  "--framework",
                                                  "--from",
                                                  "--from-nvbandwidth",
                                                  "--from-operations",
                                                  "--full",
                                                  "--grad-dtype",
                                                  "--hardware",
                                                  "--import-measurements",
                                                  "--iterations",
                                                  "--jobs",
                                                  "--kernels",
                                                  "--latency",
                                                  "--layer-times",
                                                  "--like",
                                                  "--limit",
                                                  "--link",
                                                  "--link-to-far",
                                                  "--link-to-near",
                                                  "--lora",
                                                  "--lora-dropout",
                                                  "--lora-dtype",
                                                  "--loss",
                                                  "--max-batch-limit",
                                                  "--max-input",
                                                  "--max-time",
                                                  "--memory",
                                                  "--memory-rate",
                                                  "--mode",
                                                  "--multiprocessors",
                                                  "--name",
                                                  "--no-color",
                                                  "--of",
                                                  "--optimizer",
                                                  "--output",
                                                  "--overwrite",
                                                  "--peak",
                                                  "--plot",
                                                  "--precision",
                                                  "--price",
                                                  "--prices",
                                                  "--probe",
                                                  "--quick",
                                                  "--quiet",
                                                  "--report",
                                                  "--rows",
                                                  "--schedule",
                                                  "--schedules",
                                                  "--seq",
                                                  "--source",
                                                  "--step",
                                                  "--steps",
                                                  "--sub-batch",
                                                  "--sustained",
                                                  "--symbol",
                                                  "--time",
                                                  "--time-limit",
                                                  "--tolerance",
                                                  "--trace",
                                                  "--warmup",
                                                  "--wide",
                                                  "--within",
                                                  "--zip"};

/// A flag's name. One in the sources that is no flag's does not compile: it would read as "not given".
class FlagName {
 public:
  consteval FlagName(const char* name) : name_(name) {  // NOLINT: literals are meant to convert
    for (const std::string_view each : kFlagNames) {
      if (each == name_) return;
    }
    throw "no flag of that name";
  }
  constexpr FlagName(const Flag& flag) : name_(flag.name) {}  // NOLINT: constants, too
  /// Of a row of option_table.cpp, whose name with_schedule_flags() gives the parser: one truth, nothing to check.
  [[nodiscard]] static constexpr FlagName of(std::string_view name) { return FlagName(name, 0); }

  [[nodiscard]] constexpr std::string_view text() const { return name_; }

 private:
  constexpr FlagName(std::string_view name, int) : name_(name) {}

  std::string_view name_;
};

/// The arguments after the flags: all of one kind.
struct Positionals {
  std::string_view name;  ///< "NETWORK"; empty: none
  std::string_view help;
  Completes completes = Completes::kNothing;
  std::string_view choices = {};
  bool many = false;
  // A word in front of them that says what is asked; empty: none.
  std::string_view word = {};  ///< "WHAT"
  std::string_view word_help = {};
  std::string_view word_choices = {};
};

/// A parsed command line: texts only; options.hpp turns them into values.
class Arguments {
 public:
  Arguments(std::vector<std::string> positionals,
            std::vector<std::pair<std::string, std::vector<std::string>>> flags,
            std::vector<std::string> command_line, std::string word = {})
      : positionals_(std::move(positionals)),
        flags_(std::move(flags)),
        command_line_(std::move(command_line)),
        word_(std::move(word)) {}

  [[nodiscard]] const std::vector<std::string>& positionals() const { return positionals_; }
  /// What Positionals::word stands for; empty when it was not given.
  [[nodiscard]] const std::string& word() const { return word_; }
  /// The values of a flag; empty when it was not given. A switch has one empty value.
  [[nodiscard]] std::span<const std::string> values(FlagName flag) const;
  [[nodiscard]] bool has(FlagName flag) const { return !values(flag).empty(); }
  /// The one value of a flag.
  [[nodiscard]] std::optional<std::string> value(FlagName flag) const;
  /// All that were given, by name.
  [[nodiscard]] const std::vector<std::pair<std::string, std::vector<std::string>>>& flags() const {
    return flags_;
  }
  /// The whole command line, program name first, for reports.
  [[nodiscard]] const std::vector<std::string>& command_line() const { return command_line_; }

 private:
  std::vector<std::string> positionals_;
  std::vector<std::pair<std::string, std::vector<std::string>>> flags_;
  std::vector<std::string> command_line_;
  std::string word_;
};

struct Command {
  std::string_view name;
  std::string_view summary;   ///< one line
  std::string_view examples;  ///< --help begins with them; one a line
  Positionals positionals;
  std::span<const Flag> flags;
  int (*run)(const Arguments& arguments);  ///< the exit code; throws SpecError for bad input
};

/// All subcommands, in the order of CMakeLists.txt.
[[nodiscard]] std::span<const Command* const> commands();
[[nodiscard]] const Command* find_command(std::string_view name);

}  // namespace ooc
