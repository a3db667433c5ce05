// Assembles a hardware profile from the fits. Measured numbers, with their provenance, replace
// those of a similar profile (`like`). Other numbers stay: architecture, kernels, peaks.
#pragma once

#include <string>
#include <vector>

#include "calibrate/session/analyse.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

struct ProfileHead {
  const HardwareProfile& like;  ///< profile that supplies what was not measured
  std::string name;             ///< name of the new profile; empty: from the device's name
  std::string date;             ///< date of the measurement, such as 2025-01-31; empty: unknown
};

struct Assembled {
  HardwareProfile profile;
  std::vector<std::string> remarks;  ///< on numbers that were adjusted or left out
};

/// Returns the profile. Throws SpecError unless pinned copies were measured in both directions.
[[nodiscard]] Assembled assemble_profile(const SampleSet& set, const Calibration& calibration,
                                         const ProfileHead& head);

/// Marks `fields` as measured, in place of provenance entries for them and for fields below them.
void say_measured(HardwareProfile& profile, const std::string& fields, std::string source,
                  const std::string& date);
/// Returns the rate rounded to whole MB/s, which is finer than any timing.
[[nodiscard]] BytesPerSecond rate_from(double bytes_per_s);

}  // namespace ooc
