// Looks schedules up by name; the table itself is generated (cmake/named_table.cmake).
#include "simulator/schedules/schedule.hpp"

#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "simulator/schedules/option_table.hpp"

namespace ooc {

const Schedule* find_schedule(std::string_view name) { return find_named(schedules(), name); }

bool Quickest::offer(const PlanningProblem& problem, Plan tried) {
  OOC_CHECK(problem.evaluate, "who searches by trial can try");
  const std::optional<Duration> its = problem.evaluate(tried).iteration_time;
  const bool quicker = its && (!time || *its < *time);
  if (plan && !quicker) return false;
  time = its;
  plan = std::move(tried);
  return true;
}

std::vector<Contender> contenders(Traits with, Traits without, std::span<const Bytes> rooms) {
  std::vector<Contender> found;
  for (const Schedule* schedule : schedules()) {
    const Traits& traits = schedule->traits;
    if (traits.has_any(without) || !(with.empty() || traits.has_any(with))) continue;
    for (const Bytes room : rooms) {
      found.push_back({schedule, {.room = room}});
      if (!reads(*schedule, "--algorithms")) break;
    }
  }
  return found;
}

}  // namespace ooc
