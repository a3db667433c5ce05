#include "cli/load.hpp"

#include <fmt/format.h>

#include <memory>

#include "cli/layer_times.hpp"
#include "cli/locate.hpp"
#include "model/base/errors.hpp"
#include "model/software/framework_json.hpp"

namespace ooc {

Workload load_workload(const std::string& name, std::string_view place,
                       const CaseOptions& options) {
  return read_workload(locate(DataKind::kNetwork, name, place), options);
}

Machine load_hardware(const std::string& name, std::string_view place, const CaseOptions& options) {
  return read_machine(locate(DataKind::kHardware, name, place),
                      {.limits = options.limits, .architecture_folders = architecture_folders()});
}

void load_framework(CaseOptions& options, const std::string& name, std::string_view place) {
  options.framework = std::make_shared<const Framework>(
      read_framework_file(locate(DataKind::kFramework, name, place), options.limits));
}

void load_framework_of(CaseOptions& options, std::span<const Machine> machines) {
  if (options.framework || machines.empty()) return;
  const Machine& first = machines.front();
  for (const Machine& machine : machines) {
    if (machine.profile.framework == first.profile.framework) continue;
    throw SpecError({.file = machine.path,
                     .place = "/framework",
                     .found = in_quotes(machine.profile.framework),
                     .expected = fmt::format("the same as in {}: {}", first.path,
                                             in_quotes(first.profile.framework)),
                     .hint = "--framework says which one all of them run"});
  }
  if (first.profile.framework.empty()) return;
  load_framework(options, first.profile.framework, first.path + ": /framework");
}

void load_layer_times(CaseOptions& options, const Arguments& arguments, const Workload& workload) {
  if (const auto path = arguments.value("--layer-times")) {
    options.layer_times = read_layer_times_file(*path, *workload.network, options.limits);
  }
}

}  // namespace ooc
