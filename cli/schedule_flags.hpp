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

/// Reads --schedule; default: all where the command takes several, else capacity. Throws SpecError for unknown and
/// repeated names, and for several where one is wanted.
void read_schedules(const Command& command, Arguments& arguments);

/// Throws SpecError for a flag that no chosen schedule reads.
void check_chosen(const Arguments& arguments, std::span<const Schedule* const> chosen);

/// Returns the schedules that every machine can run. `all`: omits the others, with one remark,
/// unless all machines declare the missing modes impossible. Otherwise throws SpecError for a
/// schedule that some machine, or a pass of the job, cannot run.
[[nodiscard]] std::vector<const Schedule*> runnable(std::vector<const Schedule*> chosen, bool all,
                                                    std::span<const Machine> machines,
                                                    const CaseOptions& options, Remarks remarks);

}  // namespace ooc
