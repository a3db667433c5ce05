#include "cli/load.hpp"

#include "cli/layer_times.hpp"
#include "cli/locate.hpp"

namespace ooc {

Workload load_workload(const std::string& name, std::string_view place,
                       const CaseOptions& options) {
  return read_workload(locate(DataKind::kNetwork, name, place), options);
}

Machine load_hardware(const std::string& name, std::string_view place, const CaseOptions& options) {
  return read_machine(locate(DataKind::kHardware, name, place),
                      {.limits = options.limits, .architecture_folders = architecture_folders()});
}

void load_layer_times(CaseOptions& options, const Arguments& arguments, const Workload& workload) {
  if (const auto path = arguments.value("--layer-times")) {
    options.layer_times = read_layer_times_file(*path, *workload.network, options.limits);
  }
}

}  // namespace ooc
