// Random options of a schedule. A new option is tested as soon as it stands in the table and in the
// schedule's `options`.
#pragma once

#include "simulator/schedules/option_table.hpp"
#include "simulator/schedules/own_options.hpp"
#include "tests/support/random_networks.hpp"

namespace ooc::test {

/// Returns the defaults half of the time; else tried values for most options that the schedule
/// reads. Searches are always short.
inline ScheduleOptions random_options(Dice& dice, const Schedule& schedule) {
  ScheduleOptions options;
  options.own.change().search = 30;
  if (dice.once_in(2)) return options;
  for (const ScheduleOption& option : schedule_option_table()) {
    if (!reads(schedule, option.name) || dice.once_in(3)) continue;
    const auto words = words_of(option.choices.empty() ? option.tried : option.choices);
    option.field.read(option, words[dice.index(words.size())], options);
  }
  return options;
}

}  // namespace ooc::test
