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

enum class OptionGroup;  // simulator/predict/options.hpp

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
  std::string_view brief = {};  ///< another name: "-o", or empty
  std::string_view value = {};
  std::string_view help;
  Completes completes = Completes::kNothing;
  std::string_view choices = {};  ///< kChoices: "table|json|csv"
  bool many = false;              ///< takes several values and may be repeated
  std::string_view list = {};     ///< examples of several values; empty: takes one
  OptionGroup group = {};         ///< kUsual
};

/// "12GiB; several: 8GiB:32GiB:+4GiB (a|b)": all that --help says of it.
[[nodiscard]] std::string help_of(const Flag& flag);

/// A part of --help: what it is asked for by, and its heading.
struct FlagGroup {
  OptionGroup group;
  std::string_view word;  ///< empty: what --help alone shows
  std::string_view title;
};
[[nodiscard]] std::span<const FlagGroup> flag_groups();

/// A flag's name.
class FlagName {
 public:
  constexpr FlagName(const char* name) : name_(name) {}  // NOLINT: literals are meant to convert
  constexpr FlagName(std::string_view name) : name_(name) {}  // NOLINT: names of options, too
  constexpr FlagName(const Flag& flag) : name_(flag.name) {}  // NOLINT: constants, too
  [[nodiscard]] constexpr std::string_view text() const { return name_; }

 private:
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

/// What may stand behind its --help: the groups that it has flags of, and "all"; none where all flags are shown anyway.
[[nodiscard]] std::vector<std::string> help_words(const Command& command);

/// All subcommands, in the order of CMakeLists.txt.
[[nodiscard]] std::span<const Command* const> commands();
[[nodiscard]] const Command* find_command(std::string_view name);

}  // namespace ooc
