// All flags are checked before anything is opened, everything is opened before anything is read.
#include "cli/job.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "cli/load.hpp"
#include "cli/machine_lists.hpp"
#include "cli/runnable.hpp"
#include "cli/schedule_flags.hpp"
#include "cli/search_progress.hpp"
#include "simulator/predict/moving_plan.hpp"

namespace ooc {
namespace {

/// What the flags say.
struct JobFlags {
  std::string network;
  CaseOptions options;
  ResultOptions result;
  ChosenSchedules chosen;
};

/// What a job leaves open because it is what is asked for.
std::string_view looked_for(Asks asks) {
  if (asks == Asks::kLargestBatch) return "batch";
  return asks == Asks::kLongestSequence ? "seq" : "";
}

JobFlags read_flags(const Arguments& arguments, Asks asks) {
  std::string network = network_of(arguments);
  const std::vector<std::int64_t> states =
      asks == Asks::kOnMachines ? compared_states(arguments) : std::vector<std::int64_t>{};
  CaseOptions options = asks != Asks::kOnMachines ? case_options(arguments)
                        : states.empty()          ? case_options(arguments, {"--link"})
                                                  : case_options(arguments, {"--link", "--state"});
  ResultOptions result = result_options(arguments);
  ChosenSchedules chosen = asks == Asks::kOneSchedule
                               ? ChosenSchedules{{&chosen_schedule(arguments)}}
                           : asks == Asks::kWhetherItFits ? chosen_schedules(arguments, "capacity")
                                                          : compared_schedules(arguments);
  options.per_sample = asks == Asks::kLargestBatch;
  const bool moves = std::any_of(states.begin(), states.end(), [](auto each) { return each != 0; });
  if (options.state.any() || moves) {
    if (chosen.all) keep_carriers(chosen.schedules);
    for (const Schedule* each : chosen.schedules) check_carries_state(*each);
  }
  check_chosen(arguments, chosen.schedules, options.graph.accounting);
  return JobFlags{std::move(network), std::move(options), std::move(result), std::move(chosen)};
}

MachinesJob read_on(const Arguments& arguments, const std::vector<std::string>& profiles,
                    Asks asks) {
  JobFlags flags = read_flags(arguments, asks);
  Outputs outputs =
      open_outputs(arguments, {.networks = {&flags.network, 1}, .profiles = profiles});
  auto& [network, options, result, chosen] = flags;

  // The machine may name the framework, and that says what the network's graph keeps.
  std::vector<Machine> machines = load_machines(profiles, options);
  load_framework_of(options, machines);
  Workload workload = load_workload(network, "NETWORK", options);
  load_layer_times(options, arguments, workload);
  for (const Machine& machine : machines) {
    remark_on_machine(result.remarks, machine, options.devices);
  }
  remark_on_training(result.remarks, workload, options, looked_for(asks));
  std::vector<std::vector<const Schedule*>> schedules;
  schedules.reserve(machines.size());
  for (const Machine& machine : machines) {
    schedules.push_back(
        runnable(chosen.schedules, chosen.all, {&machine, 1}, options, result.remarks));
  }
  std::shared_ptr<void> search_line = show_searches(options.schedule, result.remarks);
  return MachinesJob{.options = std::move(options),
                     .result = std::move(result),
                     .schedules = std::move(schedules),
                     .outputs = std::move(outputs),
                     .workload = std::move(workload),
                     .machines = std::move(machines),
                     .search_line = std::move(search_line)};
}

}  // namespace

Job read_job(const Arguments& arguments, Asks asks) {
  (void)network_of(arguments);  // the first of the two that is missing is told
  MachinesJob job = read_on(arguments, {hardware_of(arguments)}, asks);
  return Job{.options = std::move(job.options),
             .result = std::move(job.result),
             .schedules = std::move(job.schedules.front()),
             .outputs = std::move(job.outputs),
             .workload = std::move(job.workload),
             .machine = std::move(job.machines.front()),
             .search_line = std::move(job.search_line)};
}

MachinesJob read_machines_job(const Arguments& arguments,
                              const std::vector<std::string>& profiles) {
  return read_on(arguments, profiles, Asks::kOnMachines);
}

}  // namespace ooc
