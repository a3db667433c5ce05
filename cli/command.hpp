// Subcommand: a const struct with one function. One file a subcommand in cli/commands/;
// cli/CMakeLists.txt generates the table. Flags are data, shared by parsing, --help, "did you mean"
// and shell completion.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/remarks.hpp"
#include "reports/writers/writer.hpp"
#include "simulator/predict/options.hpp"
#include "simulator/predict/ranges.hpp"

namespace ooc {

/// Exit codes of the program (docs/architecture.md, 6).
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

/// Returns the word after `list` that lists such values, "networks"; empty: none.
[[nodiscard]] std::string_view list_word(Completes completes);

/// Flag of a subcommand. `value`: name of its value in --help; empty: a switch.
struct Flag {
  std::string_view name;  ///< such as "--hardware"
  std::string_view value = {};
  std::string_view help = {};
  Completes completes = Completes::kNothing;
  std::string_view choices = {};   ///< for kChoices: "table|json|csv"
  bool many = false;               ///< takes several values and may be repeated
  std::string_view list = {};      ///< examples of several values; empty: only one value
  OptionGroup group = {};          ///< default: kUsual
  std::string_view brief = {};     ///< another name, such as "-o"; empty: none
  const Option* option = nullptr;  ///< row that reads its value; null: the command reads it

  [[nodiscard]] bool takes_list() const { return value == "LIST"; }
  constexpr operator std::string_view() const { return name; }  // NOLINT: stands for its name
};

/// Returns the whole help for a flag: "12GiB; several: 8GiB:32GiB:+4GiB (a|b)".
[[nodiscard]] std::string help_of(const Flag& flag);

/// Part of --help, with the word that selects it and its heading.
struct FlagGroup {
  OptionGroup group;
  std::string_view word;  ///< empty: shown by --help alone
  std::string_view title;
};
[[nodiscard]] std::span<const FlagGroup> flag_groups();

/// Arguments that are not flags, all of one kind.
struct Positionals {
  std::string_view name;  ///< such as "NETWORK"; empty: none
  std::string_view help;
  Completes completes = Completes::kNothing;
  std::string_view choices = {};
  bool many = false;
  // Word before the arguments that selects the question; empty: none.
  std::string_view word = {};  ///< its name in --help: "WHAT"
  std::string_view word_help = {};
  std::string_view word_choices = {};
};

/// Form and place of a result.
struct ResultOptions {
  const Writer* writer = nullptr;
  WriteOptions write = {};
  Remarks remarks = Remarks::kShown;
};

struct Command;

/// Flag of a command line or of a job, with its values. A switch has one empty value.
struct GivenFlag {
  const Flag* flag;
  std::vector<std::string> values;
};

/// Command line. Options of a run are values (cli/options.hpp), all other flags texts.
struct Arguments {
  const Command* command = nullptr;
  std::vector<std::string> command_line = {};  ///< whole, program name first, for reports
  std::string word = {};                       ///< Positionals::word; empty: not given
  std::vector<std::string> positionals = {};
  std::vector<GivenFlag> flags = {};
  std::string job = {};      ///< path of the job file given instead of positionals; empty: none
  CaseOptions options = {};  ///< options with one value, and the limits of --max-input
  /// Values of the axes that may have several, by index in axis_kinds(); empty: not given.
  std::vector<AxisValues> lists = std::vector<AxisValues>(axis_kinds().size());

  std::vector<const Schedule*> schedules = {};  ///< of --schedule, else the usual ones
  bool all_schedules = false;                   ///< they are all that there are, not chosen by name
  ResultOptions result = {};                    ///< of commands with --format

  /// Returns the values of a flag; empty: not given.
  [[nodiscard]] std::span<const std::string> values(std::string_view flag) const;
  [[nodiscard]] bool has(std::string_view flag) const { return !values(flag).empty(); }
  /// Returns the only value of a flag; unset: not given.
  [[nodiscard]] std::optional<std::string> value(std::string_view flag) const;
  /// Throws SpecError for a given flag of these: it cannot be combined with `with`.
  void refuse(std::initializer_list<std::string_view> names, const std::string& with,
              const std::string& remedy, const std::string& why = "") const;
  /// Returns --output; default: "-", standard output.
  [[nodiscard]] std::string output() const { return value("--output").value_or("-"); }
  /// Returns kQuiet for --quiet.
  [[nodiscard]] Remarks remarks() const {
    return has("--quiet") ? Remarks::kQuiet : Remarks::kShown;
  }
};

struct Command {
  std::string_view name;
  std::string_view summary;   ///< one line
  std::string_view examples;  ///< start of --help, one example a line
  Positionals positionals = {};
  std::span<const Flag> flags = {};
  bool has_rows = false;  ///< a result has rows, to which the values of axes belong
  int (*run)(const Arguments& arguments);  ///< returns the exit code; throws SpecError
};

/// Returns the words that may follow --help: the command's groups and "all"; empty if --help shows all flags.
[[nodiscard]] std::vector<std::string> help_words(const Command& command);

/// Returns all subcommands in the order of CMakeLists.txt.
[[nodiscard]] std::span<const Command* const> commands();
[[nodiscard]] const Command* find_command(std::string_view name);

[[nodiscard]] std::string_view version();

}  // namespace ooc
