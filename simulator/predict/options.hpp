// The options of a run: one table. A row has what --help, completion and the manual say of an option, how its text becomes
// a value, and, if sweeps can have several of it, how values are counted and what they leave to be shared. Flags, keys of
// job files, what results repeat and the schema of jobs follow from it.
//
// To add an option: a row in options.cpp, and the place that computes with it. One that only schedules read: a row in
// simulator/schedules/option_table.cpp, which the table takes over.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "simulator/predict/case.hpp"
#include "simulator/schedules/option_table.hpp"

namespace ooc {

/// The symbols of a sequence and of a decoder's sequence beside it.
inline constexpr std::string_view kSequence = "seq";
inline constexpr std::string_view kTargetSequence = "target_seq";

/// What another value makes anew, and with it all that stands behind it here.
enum class AxisLevel {
  kGraph,   ///< reading a network, building its graph
  kCosts,   ///< the costs of tasks and the sizes of tensors
  kPlan,    ///< the schedule's plan
  kPrices,  ///< the prices of copies, which most plans do not depend on
};

/// What a text is the name of.
enum class OptionNames { kNothing, kHardware, kFrameworks, kSchedules, kInputFiles };

/// Which part of --help has it.
enum class OptionGroup { kUsual, kMachine, kTransformers, kState, kSchedules };

struct Option {
  std::string_view flag;          ///< "--far-memory"; a job file has it as "far_memory"
  std::string_view value = {};    ///< what --help calls its value; empty: a switch
  std::string_view help = {};     ///< of one value
  std::string_view choices = {};  ///< "near|far"; empty: any text
  OptionGroup group = OptionGroup::kUsual;
  OptionNames names = OptionNames::kNothing;
  std::string_view beside =
      {};  ///< "--state|--offload": without one of them it would change nothing
  /// SpecError at the flag for a text that is no value. Null: as `parse` and `apply` have it, or a name that is looked up.
  void (*read)(const Option& option, std::string_view text, CaseOptions& options) = nullptr;
  const ScheduleOption* of_schedules = nullptr;  ///< only the schedules read it that list it

  // An axis of sweeps, if it has a column. Networks, machines, frameworks and schedules go by names; of these the values
  // are places in lists.
  std::string_view column = {};  ///< of results that has it
  std::string_view list = {};    ///< examples of several values
  AxisLevel level = AxisLevel::kCosts;
  /// SpecError at `place` for a text that is no value. Null: named.
  std::int64_t (*parse)(std::string_view text, std::string_view place) = nullptr;
  /// The same of a range's step; null: as values are.
  std::int64_t (*parse_step)(std::string_view text, std::string_view place) = nullptr;
  std::string (*show)(std::int64_t value) = nullptr;
  void (*apply)(std::int64_t value, CaseOptions& options) = nullptr;
  bool more_is_harder =
      true;           ///< to count: a value at that end may be too large a job where others are not
  bool steps = true;  ///< ranges make sense; else its values are names of a table
  char separator = ',';       ///< of the values of a list
  std::string_view all = {};  ///< the list that "all" stands for; none: that is no list
};

/// "far_memory"
[[nodiscard]] std::string option_key(std::string_view flag);
/// "far memory"
[[nodiscard]] std::string option_label(const Option& option);
/// "bytes" of an option whose column is a number in that unit, "memory_bytes"; else "".
[[nodiscard]] std::string_view option_unit(const Option& option);

/// Axes first.
[[nodiscard]] std::span<const Option> run_options();
/// Null for a flag that is none of a run.
[[nodiscard]] const Option* find_option(std::string_view flag);
/// In the order in which rows of sweeps count: the first changes slowest. Levels never fall.
[[nodiscard]] std::span<const Option> axis_kinds();
/// Its place there, of a flag that stands there.
[[nodiscard]] std::size_t axis_place(std::string_view flag);

/// SpecError at the flag for a text that is no value of it.
void read_option(const Option& option, std::string_view text, CaseOptions& options);
/// SpecError for options that contradict each other.
void check_together(const CaseOptions& options);

}  // namespace ooc
