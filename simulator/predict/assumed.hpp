// Assumed numbers of a profile that a prediction rests on, for warnings in reports.
#pragma once

#include <string>
#include <vector>

#include "model/hardware/hardware_profile.hpp"
#include "model/software/framework.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// Returns the profile's assumed fields in use: not those of other transfer modes or compute
/// models, nor those that a flag replaces (--memory, --link, --latency, --far-throughput). Then the
/// framework's, such as "framework.host_issue".
[[nodiscard]] std::vector<std::string> assumed_in_use(const HardwareProfile& hardware,
                                                      const RunInputs& inputs,
                                                      const Framework& framework = {});

}  // namespace ooc
