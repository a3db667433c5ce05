// All flags are checked before anything is opened, everything is opened before anything is read.
#include "cli/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/load.hpp"
#include "cli/remarks.hpp"
#include "model/base/errors.hpp"
#include "simulator/predict/planning.hpp"

namespace ooc {
namespace {

/// What a job leaves open because it is what is asked for.
std::string_view looked_for(Asks asks) {
  if (asks == Asks::kLargestBatch) return "batch";
  return asks == Asks::kLongestSequence ? "seq" : "";
}

constexpr std::string_view kHardwareFlag = "--hardware";
/// More rows than that nobody reads, and each takes the time of a comparison.
constexpr std::size_t kMaxMachineRows = 1000;

}  // namespace

Job read_job(const Arguments& arguments, Asks asks, std::vector<std::string> profiles) {
  std::string network = network_of(arguments);  // the first of the two that is missing is told
  if (profiles.empty()) profiles = {hardware_of(arguments)};
  CaseOptions options = arguments.options;
  options.per_sample = asks == Asks::kLargestBatch;
  ResultOptions result = arguments.result;
  std::vector<const Schedule*> schedules = arguments.schedules;
  const AxisValues& states = arguments.lists[axis_place("--state")];
  const bool moves = std::ranges::any_of(states, [](auto each) { return each != 0; });
  if (options.state.any() || sharing_devices(options) > 1 || moves) {
    if (arguments.all_schedules) keep_carriers(schedules);
  }
  check_chosen(arguments, schedules);
  Outputs outputs = open_outputs(arguments, {.networks = {&network, 1}, .profiles = profiles});

  // The machine may name the framework, and that says what the network's graph keeps.
  std::vector<Machine> machines = load_machines(profiles, options);
  load_framework_of(options, arguments.value("--framework"), machines);
  Workload workload = load_workload(network, "NETWORK", options);
  load_layer_times(options, arguments, workload);
  for (const Machine& machine : machines) {
    remark_on_machine(result.remarks, machine, options.devices);
  }
  remark_on_training(result.remarks, workload, options, looked_for(asks));
  std::vector<std::vector<const Schedule*>> runs;
  for (const Machine& machine : machines) {
    runs.push_back(
        runnable(schedules, arguments.all_schedules, {&machine, 1}, options, result.remarks));
  }
  return {.options = std::move(options),
          .result = std::move(result),
          .chosen = std::move(runs),
          .outputs = std::move(outputs),
          .workload = std::move(workload),
          .machines = std::move(machines)};
}

MachineLists machine_lists(const Arguments& arguments) {
  MachineLists lists{.machines = split_list(hardware_of(arguments), kHardwareFlag)};
  const AxisValues& states = arguments.lists[axis_place("--state")];
  if (states.size() > 1) lists.states = states;
  for (std::size_t i = 0; i < lists.machines.size(); ++i) {
    const auto here = lists.machines.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(lists.machines.begin(), here, *here) == here) continue;
    bad_value(kHardwareFlag, in_quotes(*here) + " twice", "each once");
  }
  for (const std::int64_t rate : arguments.lists[axis_place("--link")]) {
    lists.links.emplace_back(BytesPerSecond(rate));
  }
  if (lists.links.empty()) lists.links.emplace_back(std::nullopt);
  const std::size_t rows =
      lists.machines.size() * lists.links.size() * std::max<std::size_t>(1, lists.states.size());
  if (rows > kMaxMachineRows) {
    bad_value("compare", fmt::format("{} machines, links and states", rows),
              fmt::format("at most {}", kMaxMachineRows), "`ooc-paleo sweep` takes more");
  }
  if (arguments.has("--layer-times") && lists.machines.size() > 1) {
    cannot_combine("--layer-times", fmt::format("{} machines", lists.machines.size()),
                   "use the machine on which the times were measured");
  }
  return lists;
}

}  // namespace ooc
