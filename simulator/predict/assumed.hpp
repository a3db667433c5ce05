// Which assumed numbers of a profile a case rests on: what reports must warn of.
#pragma once

#include <string>
#include <vector>

#include "model/hardware/hardware_profile.hpp"
#include "model/software/framework.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// The profile's assumed fields that this case's numbers come from: not those of other transfer modes,
/// nor of a compute model that is not asked for, nor what a flag (--memory, --link, --latency,
/// --far-throughput) stands in for. Then the framework's, as "framework.host_issue".
[[nodiscard]] std::vector<std::string> assumed_in_use(const HardwareProfile& hardware,
                                                      const RunInputs& inputs,
                                                      const Framework& framework = {});

}  // namespace ooc
