// What a user may ask of a schedule, at random: a new option is tried by the tests of laws as soon as it stands in
// the table and in the schedule's `options`.
#pragma once

#include "simulator/schedules/option_table.hpp"
#include "simulator/schedules/own_options.hpp"
#include "tests/support/random_networks.hpp"

namespace ooc::test {

/// The defaults half of the time, else for most of what the schedule reads one of the values to try. Searches are always
/// short.
inline ScheduleOptions random_options(Dice& dice, const Schedule& schedule) {
  ScheduleOptions options;
  options.own.change().search = 30;
  if (dice.once_in(2)) return options;
  for (const ScheduleOption& option : schedule_option_table()) {
    if (!reads(schedule, option.name) || dice.once_in(3)) continue;
    const auto words = words_of(option.choices.empty() ? option.tried : option.choices);
    option.read(option, words[dice.index(words.size())], options);
  }
  return options;
}

}  // namespace ooc::test
