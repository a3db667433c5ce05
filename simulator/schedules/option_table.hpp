// Options of schedules by name, converted from and to text in commands, files and reports. New: own_options.hpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/schedules/schedule.hpp"

namespace ooc {

struct ScheduleOption {
  std::string_view name;        ///< such as "--algorithms"
  std::string_view value = {};  ///< name of the value in --help, such as N; empty: a switch
  std::string_view help = {};
  std::string_view choices = {};  ///< allowed texts, such as "order|time"; empty: any text
  /// A few valid texts, "0|3", which property tests try at random; empty if there are `choices`.
  std::string_view tried = {};
  /// True if the option sets how much moves. Trait::kMovesOnlyWhatItMust holds only if no such option is set.
  bool says_how_much = false;
  struct Field {
    /// Sets the option from `text`. Throws SpecError at the option's name for an invalid value.
    void (*read)(const ScheduleOption& option, std::string_view text, ScheduleOptions& options);
    std::string (*write)(const ScheduleOption& option, const ScheduleOptions& options);
  } field;
};

[[nodiscard]] std::span<const ScheduleOption> schedule_option_table();

/// Returns the index of `word` in choices such as "0|3". Throws SpecError at the flag for another word.
[[nodiscard]] std::size_t choice_index(std::string_view flag, std::string_view choices,
                                       std::string_view word);
/// Splits "0|3" into "0" and "3".
[[nodiscard]] std::vector<std::string> words_of(std::string_view choices);

/// True if the schedule reads the option; all read "--sub-batch".
[[nodiscard]] bool reads(const Schedule& schedule, std::string_view option);

/// Returns the schedule's options that are not at their defaults, as results show them:
/// "algorithms=performance". Empty: none.
[[nodiscard]] std::string options_text(const Schedule& schedule, const ScheduleOptions& options);

/// Returns "fitting", "memory" or "performance", as typed after --algorithms.
[[nodiscard]] std::string_view algorithms_name(AlgorithmChoice algorithms);

}  // namespace ooc
