// Subcommand: a const struct with one function. One file a subcommand in cli/commands/; cli/CMakeLists.txt generates
// the table. Flags are data, shared by parsing, --help, "did you mean" and shell completion.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

/// Returns the word after `ooc-paleo list` that lists values of this kind, such as "networks"; empty: no list.
[[nodiscard]] std::string_view list_word(Completes completes);

/// Flag of a subcommand. `value`: name of its value in --help; empty: a switch.
struct Flag {
  std::string_view name;  ///< such as "--hardware"
  std::string_view value = {};
  std::string_view help = {};
  Completes completes = Completes::kNothing;
  std::string_view choices = {};  ///< for kChoices: "table|json|csv"
  bool many = false;              ///< takes several values and may be repeated
  std::string_view list = {};     ///< example of several values, for --help; empty: takes one value
  OptionGroup group = {};         ///< part of --help that shows the flag; default: kUsual
  std::string_view brief = {};    ///< another name, such as "-o"; empty: none
  const Option* option = nullptr;  ///< row of run_options() that reads it; null: the command does

  [[nodiscard]] bool takes_list() const { return value == "LIST"; }
  constexpr operator std::string_view() const { return name; }  // NOLINT: stands for its name
};

/// Returns the help of a flag with its list and choices: "12GiB; several: 8GiB:32GiB:+4GiB (a|b)".
[[nodiscard]] std::string help_of(const Flag& flag);

/// Part of --help: `word` selects it, `title` is its heading.
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
  // `need link`: a word before the arguments selects the question.
  std::string_view word = {};  ///< name of this word in --help, "WHAT"; empty: no such word
  std::string_view word_help = {};
  std::string_view word_choices = {};
};

/// How a result is written, and whether remarks are printed: by --format, --quiet and others.
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

/// Parsed command line. Options of a run are values (read by cli/options.hpp), all other flags are texts.
struct Arguments {
  const Command* command = nullptr;
  std::vector<std::string> command_line = {};  ///< all words, program name first, for reports
  std::string word = {};                       ///< value of Positionals::word; empty: not given
  std::vector<std::string> positionals = {};
  std::vector<GivenFlag> flags = {};
  std::string job = {};      ///< path of the job file given instead of positionals; empty: none
  CaseOptions options = {};  ///< values of flags that have one value, and limits of --max-input
  /// Values of the axes that may have several, by index in axis_kinds(); empty: not given.
  std::vector<AxisValues> lists = std::vector<AxisValues>(axis_kinds().size());

  std::vector<const Schedule*> schedules = {};  ///< of --schedule; default: see read_schedules()
  bool all_schedules = false;                   ///< true: `schedules` are all, not chosen by name
  ResultOptions result = {};                    ///< of commands with --format, except `sweep`

  /// Returns the values of a flag; empty: not given.
  [[nodiscard]] std::span<const std::string> values(std::string_view flag) const;
  [[nodiscard]] bool has(std::string_view flag) const { return !values(flag).empty(); }
  /// Returns the value of a flag, of several the first; unset: not given.
  [[nodiscard]] std::optional<std::string> value(std::string_view flag) const;
  /// Throws SpecError if a flag of `names` was given. `with`, `remedy`, `why`: parts of the message.
  void refuse(std::initializer_list<std::string_view> names, const std::string& with,
              const std::string& remedy, const std::string& why = "") const;
  /// Returns --output; default: "-", standard output.
  [[nodiscard]] std::string output() const { return value("--output").value_or("-"); }
  /// Returns kQuiet with --quiet, else kShown.
  [[nodiscard]] Remarks remarks() const {
    return has("--quiet") ? Remarks::kQuiet : Remarks::kShown;
  }
};

struct Command {
  std::string_view name;
  std::string_view summary;   ///< one line
  std::string_view examples;  ///< example command lines at the start of --help
  Positionals positionals = {};
  std::span<const Flag> flags = {};
  bool has_rows = false;  ///< true: writes a row for each combination of values (`sweep`)
  int (*run)(const Arguments& arguments);  ///< returns the exit code; throws SpecError
};

/// Returns the words that may follow --help: the command's groups and "all"; empty if --help shows all flags.
[[nodiscard]] std::vector<std::string> help_words(const Command& command);

/// Returns all subcommands in the order of CMakeLists.txt.
[[nodiscard]] std::span<const Command* const> commands();
[[nodiscard]] const Command* find_command(std::string_view name);

[[nodiscard]] std::string_view version();

}  // namespace ooc
