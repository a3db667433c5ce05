// Schedules of a command line. A flag that none of them reads
// (simulator/schedules/option_table.hpp) is refused, since it would silently change nothing.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/remarks.hpp"
#include "simulator/schedules/option_table.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

/// Returns the schedules of "all" or of comma-separated names. Throws SpecError for unknown and repeated names.
[[nodiscard]] std::vector<const Schedule*> schedules_named(const std::string& list,
                                                           std::string_view flag);

struct ChosenSchedules {
  std::vector<const Schedule*> schedules;
  bool all = false;  ///< true: "all" was given; false: names
};
/// Returns the schedules of --schedule; default: `usual`.
[[nodiscard]] ChosenSchedules chosen_schedules(const Arguments& arguments,
                                               const std::string& usual = "all");
/// Returns the schedule of --schedule; default: capacity. Throws SpecError for several.
[[nodiscard]] const Schedule& chosen_schedule(const Arguments& arguments);

/// Throws SpecError for a flag that no chosen schedule reads.
void check_chosen(const Arguments& arguments, std::span<const Schedule* const> chosen);

/// Returns the schedules that every machine can run. `all`: omits the others, with one remark,
/// unless all machines declare the missing modes impossible. Otherwise throws SpecError for a
/// schedule that some machine, or a pass of the job, cannot run.
[[nodiscard]] std::vector<const Schedule*> runnable(std::vector<const Schedule*> chosen, bool all,
                                                    std::span<const Machine> machines,
                                                    const CaseOptions& options, Remarks remarks);

}  // namespace ooc
