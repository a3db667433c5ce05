// The flags that only some schedules read (simulator/schedules/option_table.hpp). The commands
// that run schedules take all of them; a flag that none of the chosen schedules reads is refused,
// because it would change nothing and say nothing.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "simulator/schedules/option_table.hpp"

namespace ooc {

namespace flags {

/// A command's own flags and, after them, those of the schedules.
[[nodiscard]] std::vector<Flag> with_schedule_flags(std::span<const Flag> own);

}  // namespace flags

/// "all" or names between commas; SpecError for an unknown or repeated one.
[[nodiscard]] std::vector<const Schedule*> schedules_named(const std::string& list,
                                                           std::string_view flag);

struct ChosenSchedules {
  std::vector<const Schedule*> schedules;
  bool all = false;  ///< "all", not their names
};
/// What --schedule or --schedules lists, `usual` where neither is given. SpecError for both.
[[nodiscard]] ChosenSchedules chosen_schedules(const Arguments& arguments,
                                               const std::string& usual);
/// The same, of `compare`, its kin and `sweep`: all where neither is given.
[[nodiscard]] ChosenSchedules compared_schedules(const Arguments& arguments);
/// The one that --schedule or --schedules names, capacity where neither is given. SpecError for several.
[[nodiscard]] const Schedule& chosen_schedule(const Arguments& arguments);

/// From the texts to values. SpecError for what is no value of its flag.
[[nodiscard]] ScheduleOptions schedule_options(const Arguments& arguments);

/// SpecError for a schedule that does not go with the accounting, and for a given flag that none of them reads.
void check_chosen(const Arguments& arguments, std::span<const Schedule* const> chosen,
                  Accounting accounting);

}  // namespace ooc
