// All flags are checked before anything is opened, everything is opened before anything is read.
#include "cli/job.hpp"

#include <string>
#include <utility>

#include "cli/load.hpp"
#include "cli/runnable.hpp"
#include "cli/schedule_flags.hpp"

namespace ooc {

Job read_job(const Arguments& arguments, Asks asks) {
  const std::string network = network_of(arguments);
  const std::string profile = hardware_of(arguments);
  CaseOptions options = case_options(arguments);
  ResultOptions result = result_options(arguments);
  const ChosenSchedules chosen = asks == Asks::kOneSchedule
                                     ? ChosenSchedules{{&chosen_schedule(arguments)}}
                                     : chosen_schedules(arguments, "all");
  check_chosen(arguments, chosen.schedules, options.graph.accounting);
  Outputs outputs = open_outputs(arguments, {.networks = {&network, 1}, .profiles = {&profile, 1}});

  Workload workload = load_workload(network, "NETWORK", options);
  load_layer_times(options, arguments, workload);
  Machine machine = load_hardware(profile, "--hardware", options);
  remark_on_machine(result.remarks, machine, options.devices);
  if (asks != Asks::kLargestBatch) remark_on_batch(result.remarks, workload, options);
  std::vector<const Schedule*> schedules =
      runnable(chosen.schedules, chosen.all, {&machine, 1}, options, result.remarks);
  return Job{.options = std::move(options),
             .result = std::move(result),
             .schedules = std::move(schedules),
             .outputs = std::move(outputs),
             .workload = std::move(workload),
             .machine = std::move(machine)};
}

}  // namespace ooc
