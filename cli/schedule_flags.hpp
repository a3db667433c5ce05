// Which schedules a command line chooses. A flag that only some schedules read (simulator/schedules/option_table.hpp) and
// none of the chosen ones does is refused, because it would change nothing and say nothing.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "simulator/schedules/option_table.hpp"

namespace ooc {

/// "all" or names between commas; SpecError for an unknown or repeated one.
[[nodiscard]] std::vector<const Schedule*> schedules_named(const std::string& list,
                                                           std::string_view flag);

struct ChosenSchedules {
  std::vector<const Schedule*> schedules;
  bool all = false;  ///< "all", not their names
};
/// What --schedule lists, `usual` where it is not given.
[[nodiscard]] ChosenSchedules chosen_schedules(const Arguments& arguments,
                                               const std::string& usual);
/// The same, of `compare`, its kin and `sweep`: all where it is not given.
[[nodiscard]] ChosenSchedules compared_schedules(const Arguments& arguments);
/// The one that --schedule names, capacity where it is not given. SpecError for several.
[[nodiscard]] const Schedule& chosen_schedule(const Arguments& arguments);

/// SpecError for a schedule that does not go with the accounting, and for a given flag that none of them reads.
void check_chosen(const Arguments& arguments, std::span<const Schedule* const> chosen,
                  Accounting accounting);

}  // namespace ooc
