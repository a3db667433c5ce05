// What people read after a calibration: modes with latency, rate and how well the fit describes them,
// the link against expectation, the other figures, and what is wrong or missing.
#pragma once

#include <string>
#include <vector>

#include "calibrate/session/analyse.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

struct ReportInput {
  const SampleSet& set;
  const Calibration& calibration;
  const HardwareProfile& profile;  ///< as it was read back: its `assumed` is shown
  const std::vector<std::string>& remarks;
};

[[nodiscard]] std::string calibration_report(const ReportInput& input);

}  // namespace ooc
