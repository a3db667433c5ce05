// All flags are checked before anything is opened, everything is opened before anything is read.
#include "cli/job.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "cli/load.hpp"
#include "cli/machine_lists.hpp"
#include "cli/remarks.hpp"
#include "cli/schedule_flags.hpp"
#include "simulator/predict/moving_plan.hpp"

namespace ooc {
namespace {

/// What a job leaves open because it is what is asked for.
std::string_view looked_for(Asks asks) {
  if (asks == Asks::kLargestBatch) return "batch";
  return asks == Asks::kLongestSequence ? "seq" : "";
}

CaseOptions options_of(const Arguments& arguments, Asks asks,
                       const std::vector<std::int64_t>& states) {
  CaseOptions options = asks != Asks::kOnMachines ? case_options(arguments)
                        : states.empty()          ? case_options(arguments, {"--link"})
                                                  : case_options(arguments, {"--link", "--state"});
  options.per_sample = asks == Asks::kLargestBatch;
  return options;
}

ChosenSchedules schedules_of(const Arguments& arguments, Asks asks) {
  if (asks == Asks::kOneSchedule) return {{&chosen_schedule(arguments)}};
  if (asks == Asks::kWhetherItFits) return chosen_schedules(arguments, "capacity");
  return compared_schedules(arguments);
}

}  // namespace

Job read_job(const Arguments& arguments, Asks asks, std::vector<std::string> profiles) {
  std::string network = network_of(arguments);  // the first of the two that is missing is told
  if (profiles.empty()) profiles = {hardware_of(arguments)};
  const std::vector<std::int64_t> states =
      asks == Asks::kOnMachines ? compared_states(arguments) : std::vector<std::int64_t>{};
  CaseOptions options = options_of(arguments, asks, states);
  ResultOptions result = result_options(arguments);
  ChosenSchedules chosen = schedules_of(arguments, asks);
  const bool moves = std::any_of(states.begin(), states.end(), [](auto each) { return each != 0; });
  if (options.state.any() || sharing_devices(options) > 1 || moves) {
    if (chosen.all) keep_carriers(chosen.schedules);
    for (const Schedule* each : chosen.schedules) check_carries_state(*each, options.state);
  }
  check_chosen(arguments, chosen.schedules, options.graph.accounting);
  Outputs outputs = open_outputs(arguments, {.networks = {&network, 1}, .profiles = profiles});

  // The machine may name the framework, and that says what the network's graph keeps.
  std::vector<Machine> machines = load_machines(profiles, options);
  load_framework_of(options, machines);
  Workload workload = load_workload(network, "NETWORK", options);
  load_layer_times(options, arguments, workload);
  for (const Machine& machine : machines) {
    remark_on_machine(result.remarks, machine, options.devices);
  }
  remark_on_training(result.remarks, workload, options, looked_for(asks));
  std::vector<std::vector<const Schedule*>> runs;
  for (const Machine& machine : machines) {
    runs.push_back(runnable(chosen.schedules, chosen.all, {&machine, 1}, options, result.remarks));
  }
  std::shared_ptr<void> search_line = show_searches(options.schedule, result.remarks);
  return {.options = std::move(options),
          .result = std::move(result),
          .chosen = std::move(runs),
          .outputs = std::move(outputs),
          .workload = std::move(workload),
          .machines = std::move(machines),
          .search_line = std::move(search_line)};
}

}  // namespace ooc
