// What people read after a calibration: modes with latency, rate and how well the fit describes them,
// the link against expectation, the other figures, and what is wrong or missing.
#pragma once

#include <string>
#include <vector>

#include "calibrate/session/analyse.hpp"
#include "calibrate/session/plan.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

struct ReportInput {
  const SampleSet& set;
  const Calibration& calibration;
  const HardwareProfile& profile;  ///< as it was read back: its `assumed` is shown
  const std::vector<std::string>& remarks;
};

[[nodiscard]] std::string calibration_report(const ReportInput& input);

/// What would be measured: kinds with their numbers of requests and estimated seconds.
[[nodiscard]] std::string plan_report(const std::vector<PlannedRequest>& planned, Effort effort);

}  // namespace ooc
