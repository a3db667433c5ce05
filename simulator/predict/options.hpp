// Options of a run, in one table. A row has the texts for --help and completion and the conversion from text. For axes
// of sweeps it also has the meaning of values and the results that rows can share.
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

/// Names of the symbols for the length of a sequence and of a decoder's sequence.
inline constexpr std::string_view kSequence = "seq";
inline constexpr std::string_view kTargetSequence = "target_seq";

/// First stage that must be repeated for another value of an axis, with all later stages.
enum class AxisLevel {
  kGraph,   ///< reading the network and building its graph
  kCosts,   ///< costs of tasks and sizes of tensors
  kPlan,    ///< the schedule's plan
  kPrices,  ///< costs of copies, on which most plans do not depend
};

/// Values that the shell completes. kInputs: files read; kFiles: files written; kRows: shipped tables of figures.
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
  /// Returns the integer for a text. Throws SpecError at `place`, such as a flag.
  std::int64_t (*parse)(std::string_view text, std::string_view place) = nullptr;
  std::string (*show)(std::int64_t value) = nullptr;
  /// Parses the step of a range; null: steps are written as values.
  std::int64_t (*parse_step)(std::string_view text, std::string_view place) = nullptr;
};

struct Option {
  std::string_view flag;          ///< such as "--far-memory"
  std::string_view value = {};    ///< name of the value in --help; empty: a switch
  std::string_view help = {};     ///< text in --help
  std::string_view choices = {};  ///< such as "near|far"; empty: any text
  OptionGroup group = OptionGroup::kUsual;
  Completes completes = Completes::kNothing;  ///< completion if `choices` is empty
  std::string_view beside = {};  ///< needs one of these options: "--state|--offload"; empty: none
  /// Reads a value; throws SpecError at the flag. Null: `values.parse` and `apply` read it, or the value is a name.
  void (*read)(const Option& option, std::string_view text, CaseOptions& options) = nullptr;
  const ScheduleOption* of_schedules = nullptr;  ///< row of a schedules' option, or null

  // Only for axes of sweeps, which have a column. Networks, machines, frameworks and schedules have
  // names; their values are indices into lists.
  std::string_view column = {};  ///< column of results; empty: no axis
  std::string_view list = {};    ///< examples of lists for --help
  AxisLevel level = AxisLevel::kCosts;
  OptionValues values = {};  ///< conversion; its functions are null if values are names
  void (*apply)(std::int64_t value, CaseOptions& options) = nullptr;
  bool steps = true;          ///< true: ranges such as 32:512:x2 are allowed
  char separator = ',';       ///< separator of values in a list
  std::string_view all = {};  ///< list that "all" stands for; empty: "all" is refused
};

/// Returns the key in job files: "far_memory" for "--far-memory", "network" for the argument.
[[nodiscard]] std::string option_key(std::string_view flag);
/// Returns the words for people, such as "far memory".
[[nodiscard]] std::string option_label(const Option& option);
/// Returns the unit of a numeric column: "bytes" for "memory_bytes"; empty: none.
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

/// Reads a value into `options`; throws SpecError at the flag if it is invalid. Does nothing for names.
void read_option(const Option& option, std::string_view text, CaseOptions& options);
/// Throws SpecError for options that contradict each other.
void check_together(const CaseOptions& options);

}  // namespace ooc
