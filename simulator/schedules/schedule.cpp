// Looks schedules up by name; the table itself is generated (cmake/named_table.cmake).
#include "simulator/schedules/schedule.hpp"

#include "model/base/named.hpp"

namespace ooc {

const Schedule* find_schedule(std::string_view name) { return find_named(schedules(), name); }

}  // namespace ooc
