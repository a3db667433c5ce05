// All flags are checked before anything is opened, everything is opened before anything is read.
#include "cli/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "cli/kineto_trace.hpp"
#include "cli/layer_times.hpp"
#include "cli/locate.hpp"
#include "cli/remarks.hpp"
#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/text_file.hpp"
#include "model/software/framework_json.hpp"
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
  if (const auto twice = repeated_in(lists.machines)) {
    bad_value(kHardwareFlag, in_quotes(*twice) + " twice", "each once");
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

Workload load_workload(const std::string& name, std::string_view place,
                       const CaseOptions& options) {
  return read_workload(locate(DataKind::kNetwork, name, place), options);
}

Machine load_hardware(const std::string& name, std::string_view place, const CaseOptions& options) {
  Machine machine =
      read_machine(locate(DataKind::kHardware, name, place),
                   {.limits = options.limits, .architecture_folders = architecture_folders()});
  machine.given = name;
  return machine;
}

void check_files(const std::vector<std::string>& given, const std::vector<std::string>& paths,
                 std::string_view place) {
  for (std::size_t i = 0; i < paths.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      std::error_code ignored;  // pipes of the shell are no longer there
      if (paths[i] != paths[j] && !std::filesystem::equivalent(paths[i], paths[j], ignored)) {
        continue;
      }
      bad_value(
          place,
          fmt::format("{} and {}, which are one file", in_quotes(given[j]), in_quotes(given[i])),
          "each file once");
    }
  }
}

std::vector<std::string> told_apart(std::vector<std::string> names,
                                    const std::vector<std::string>& given) {
  return repeated_in(names) ? given : names;
}

std::vector<Machine> load_machines(const std::vector<std::string>& given,
                                   const CaseOptions& options) {
  std::vector<Machine> machines;
  std::vector<std::string> paths;
  std::vector<std::string> names;
  for (const std::string& name : given) {
    machines.push_back(load_hardware(name, "--hardware", options));
    paths.push_back(machines.back().path);
    names.push_back(machines.back().profile.name);
  }
  check_files(given, paths, "--hardware");
  names = told_apart(std::move(names), given);
  for (std::size_t i = 0; i < names.size(); ++i) machines[i].profile.name = std::move(names[i]);
  return machines;
}

void load_framework(CaseOptions& options, const std::string& name, std::string_view place) {
  options.framework = std::make_shared<const Framework>(
      read_framework(read_spec_file(locate(DataKind::kFramework, name, place), options.limits),
                     {.limits = options.limits, .folders = framework_folders()}));
}

void load_framework_of(CaseOptions& options, const std::optional<std::string>& given,
                       std::span<const Machine> machines) {
  if (given) return load_framework(options, *given, "--framework");
  if (machines.empty()) return;
  const Machine& first = machines.front();
  for (const Machine& machine : machines) {
    if (machine.profile.framework == first.profile.framework) continue;
    throw SpecError(
        {machine.path, "/framework", in_quotes(machine.profile.framework),
         fmt::format("the same as in {}: {}", first.path, in_quotes(first.profile.framework)),
         "--framework says which one all of them run"});
  }
  if (first.profile.framework.empty()) return;
  load_framework(options, first.profile.framework, first.path + ": /framework");
}

void load_layer_times(CaseOptions& options, const Arguments& arguments, const Workload& workload) {
  if (const auto path = arguments.value("--layer-times")) {
    if (*path == kStandardInput || !is_kineto_trace(*path)) {
      options.layer_times = read_layer_times_file(*path, *workload.network, options.limits);
      return;
    }
    TracedLayers traced = read_kineto_trace(*path, *workload.network);
    remark_on(arguments.remarks(), *path, traced.coverage);
    options.layer_times = std::move(traced.times);
  }
}

}  // namespace ooc
