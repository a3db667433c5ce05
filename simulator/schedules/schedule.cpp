// Looks schedules up by name; the table itself is generated (cmake/named_table.cmake). And how a
// schedule refuses a value.
#include "simulator/schedules/schedule.hpp"

#include <utility>

#include "model/base/errors.hpp"

namespace ooc {

void option_error(std::string_view flag, std::string found, std::string expected,
                  std::string hint) {
  throw SpecError({.file = {},
                   .place = std::string(flag),
                   .found = std::move(found),
                   .expected = std::move(expected),
                   .hint = std::move(hint)});
}

const Schedule* find_schedule(std::string_view name) {
  for (const Schedule* schedule : schedules()) {
    if (schedule->name == name) return schedule;
  }
  return nullptr;
}

}  // namespace ooc
