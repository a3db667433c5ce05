// Options of a run, in one table. A row has the texts for --help and completion and the conversion from text. The row
// of an axis of sweeps also has a column of results and the first stage that another value repeats.
//
// To add an option: a row in options.cpp, and the code that uses it. For an option that only
// schedules read: a row in simulator/schedules/option_table.cpp, which this table includes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "simulator/predict/case.hpp"
#include "simulator/schedules/option_table.hpp"

namespace ooc {

/// Networks' symbols for the length of the sequence (--seq) and of a decoder's own sequence (--target-seq).
inline constexpr std::string_view kSequence = "seq";
inline constexpr std::string_view kTargetSequence = "target_seq";

/// First stage that a sweep must repeat for another value of an axis; all later stages are repeated too.
enum class AxisLevel {
  kGraph,   ///< reading the network and building its graph
  kCosts,   ///< costs of tasks and sizes of tensors
  kPlan,    ///< the schedule's plan
  kPrices,  ///< costs of copies, on which most plans do not depend
};

/// Values that the shell completes. kInputs: files to read; kFiles: files to write; kRows: shipped tables of figures.
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

/// Section of --help that lists the option.
enum class OptionGroup { kUsual, kMachine, kTransformers, kState, kSchedules };

/// Conversion between texts and integers, such as bytes, bytes/s, ns, 1e-9 of a ratio, counts or enumerators.
struct OptionValues {
  /// Returns the integer for a text. Throws SpecError for an invalid text, found at `place`, such as a flag.
  std::int64_t (*parse)(std::string_view text, std::string_view place) = nullptr;
  std::string (*show)(std::int64_t value) = nullptr;
  /// Parses N of a range FROM:TO:+N; null: `parse` does.
  std::int64_t (*parse_step)(std::string_view text, std::string_view place) = nullptr;
};

struct Option {
  std::string_view flag;          ///< such as "--far-memory"; "NETWORK" for the argument
  std::string_view value = {};    ///< name of the value in --help; empty: a switch, or NETWORK
  std::string_view help = {};     ///< text in --help
  std::string_view choices = {};  ///< the only values, such as "near|far"; empty: no such list
  OptionGroup group = OptionGroup::kUsual;
  Completes completes = Completes::kNothing;  ///< completion by the shell if `choices` is empty
  std::string_view beside = {};  ///< one must be given too: "--state|--offload"; empty: none
  /// Reads a value; throws SpecError for an invalid one. Null: `values.parse` and `apply` do, or the value is a name.
  void (*read)(const Option& option, std::string_view text, CaseOptions& options) = nullptr;
  const ScheduleOption* of_schedules = nullptr;  ///< row of the schedules' options; null: not one

  // Only for axes of sweeps. A value is an integer; for networks, machines, frameworks, schedules and lists of symbols
  // it is an index into the list of names (SweepLists).
  std::string_view column = {};  ///< column of results; empty: not an axis
  std::string_view list = {};    ///< examples of lists for --help
  AxisLevel level = AxisLevel::kCosts;
  OptionValues values = {};  ///< conversion; without functions if values are names
  void (*apply)(std::int64_t value, CaseOptions& options) = nullptr;
  bool steps = true;          ///< true: ranges such as 32:512:x2 are allowed in lists
  char separator = ',';       ///< separator of values in a list
  std::string_view all = {};  ///< list that "all" stands for; empty: "all" is refused
};

/// Returns the key in job files: "far_memory" for "--far-memory", "network" for the argument.
[[nodiscard]] std::string option_key(std::string_view flag);
/// Returns the option's name in messages, such as "far memory".
[[nodiscard]] std::string option_label(const Option& option);
/// Returns the unit in the name of the option's column: "bytes" for "memory_bytes"; empty: none.
[[nodiscard]] std::string_view option_unit(const Option& option);

/// Returns all options, axes first.
[[nodiscard]] std::span<const Option> run_options();
/// Returns the option with this flag; null if there is none.
[[nodiscard]] const Option* find_option(std::string_view flag);
inline constexpr std::size_t kMaxAxes = 26;
/// Returns the axes, slowest first: the last one changes with every row. Their levels ascend.
[[nodiscard]] std::span<const Option> axis_kinds();
/// Returns the index of the axis with this flag. Precondition: there is one.
[[nodiscard]] std::size_t axis_place(std::string_view flag);

/// Sets the option's value in `options`. Throws SpecError for an invalid value. Does nothing if values are names.
void read_option(const Option& option, std::string_view text, CaseOptions& options);
/// Throws SpecError for options that contradict each other.
void check_together(const CaseOptions& options);

}  // namespace ooc
