// Report of a calibration: modes with latency, rate and quality of fit; the link against
// expectation; other figures; problems and missing measurements.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "calibrate/session/analyse.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

struct ReportInput {
  const SampleSet& set;
  const Calibration& calibration;
  const HardwareProfile& profile;  ///< as read back from its file, so that `assumed` is set
  const std::vector<std::string>& remarks;
};

[[nodiscard]] std::string calibration_report(const ReportInput& input);

/// Returns JSON of times by size of each copy mode, for charts. `version`, `command`: of this program.
[[nodiscard]] std::string calibration_json(const ReportInput& input, std::string_view version,
                                           const std::vector<std::string>& command);

}  // namespace ooc
