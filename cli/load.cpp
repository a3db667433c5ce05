#include "cli/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include "cli/layer_times.hpp"
#include "cli/locate.hpp"
#include "cli/remarks.hpp"
#include "model/base/errors.hpp"
#include "model/base/text_file.hpp"
#include "model/software/framework_json.hpp"

namespace ooc {

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
  std::vector<std::string> sorted = names;
  std::ranges::sort(sorted);
  const bool meet = std::ranges::adjacent_find(sorted) != sorted.end();
  if (meet) return given;
  return names;
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
      read_framework_file(locate(DataKind::kFramework, name, place),
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
    const Network& network = *workload.network;
    TracedLayers traced =
        layers_of_trace(read_kineto_trace(*path, ranges_of_layers(network)), network, *path);
    remark_on(arguments.remarks(), *path, traced.coverage);
    options.layer_times = std::move(traced.times);
  }
}

}  // namespace ooc
