// Looks schedules up by name; the table itself is generated (cmake/named_table.cmake).
#include "simulator/schedules/schedule.hpp"

namespace ooc {

const Schedule* find_schedule(std::string_view name) {
  for (const Schedule* schedule : schedules()) {
    if (schedule->name == name) return schedule;
  }
  return nullptr;
}

}  // namespace ooc
