// The options of schedules by name, as text: what a command line, a file or a report calls them.
//
// To add one: own_options.hpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/schedules/schedule.hpp"

namespace ooc {

struct ScheduleOption {
  std::string_view name;        ///< "--algorithms"
  std::string_view value = {};  ///< what --help calls its value; empty for a switch
  std::string_view help = {};
  std::string_view choices = {};  ///< "memory|performance"; empty: any text
  /// Without choices: a few texts that `read` takes, "0|3", which the tests of laws try at random.
  std::string_view tried = {};
  /// It says how much moves: Trait::kMovesOnlyWhatItMust holds where it is not given.
  bool says_how_much = false;
  /// Throws SpecError at the option's name for what is no value of it.
  void (*read)(const ScheduleOption& option, std::string_view text, ScheduleOptions& options);
  std::string (*write)(const ScheduleOption& option, const ScheduleOptions& options);
};

[[nodiscard]] std::span<const ScheduleOption> schedule_option_table();

/// "0|3" in parts.
[[nodiscard]] std::vector<std::string> words_of(std::string_view choices);

/// Whether the option changes anything of the schedule's runs.
[[nodiscard]] bool reads(const Schedule& schedule, std::string_view option);

/// The options that are not the defaults, as a result repeats them: "algorithms=performance". Only those that the
/// schedule reads; empty where there are none.
[[nodiscard]] std::string options_text(const Schedule& schedule, const ScheduleOptions& options);

/// As --algorithms has it.
[[nodiscard]] std::string_view algorithms_name(AlgorithmChoice algorithms);

}  // namespace ooc
