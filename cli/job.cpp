// All flags are checked before anything is opened, everything is opened before anything is read.
#include "cli/job.hpp"

#include <string>
#include <utility>

#include "cli/load.hpp"
#include "cli/runnable.hpp"
#include "cli/schedule_flags.hpp"
#include "cli/search_progress.hpp"

namespace ooc {
namespace {

/// What the flags say.
struct JobFlags {
  std::string network;
  std::string profile;
  CaseOptions options;
  ResultOptions result;
  ChosenSchedules chosen;
};

JobFlags read_flags(const Arguments& arguments, Asks asks) {
  std::string network = network_of(arguments);
  std::string profile = hardware_of(arguments);
  CaseOptions options = case_options(arguments);
  ResultOptions result = result_options(arguments);
  ChosenSchedules chosen =
      asks == Asks::kOneSchedule
          ? ChosenSchedules{{&chosen_schedule(arguments)}}
          : chosen_schedules(arguments, asks == Asks::kWhetherItFits ? "capacity" : "all");
  check_chosen(arguments, chosen.schedules, options.graph.accounting);
  return JobFlags{std::move(network), std::move(profile), std::move(options), std::move(result),
                  std::move(chosen)};
}

}  // namespace

Job read_job(const Arguments& arguments, Asks asks) {
  JobFlags flags = read_flags(arguments, asks);
  Outputs outputs =
      open_outputs(arguments, {.networks = {&flags.network, 1}, .profiles = {&flags.profile, 1}});
  auto& [network, profile, options, result, chosen] = flags;

  // The machine may name the framework, and that says what the network's graph keeps.
  Machine machine = load_hardware(profile, "--hardware", options);
  load_framework_of(options, {&machine, 1});
  Workload workload = load_workload(network, "NETWORK", options);
  load_layer_times(options, arguments, workload);
  remark_on_machine(result.remarks, machine, options.devices);
  if (asks != Asks::kLargestBatch) remark_on_batch(result.remarks, workload, options);
  std::vector<const Schedule*> schedules =
      runnable(std::move(chosen.schedules), chosen.all, {&machine, 1}, options, result.remarks);
  std::shared_ptr<void> search_line = show_searches(options.schedule, result.remarks);
  return Job{.options = std::move(options),
             .result = std::move(result),
             .schedules = std::move(schedules),
             .outputs = std::move(outputs),
             .workload = std::move(workload),
             .machine = std::move(machine),
             .search_line = std::move(search_line)};
}

}  // namespace ooc
