// Assembles a hardware profile from the fits. Measured numbers replace those of a similar profile
// (`like`), with their own provenance. All others stay: architecture, kernels, peaks.
#pragma once

#include <string>
#include <vector>

#include "calibrate/session/analyse.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

struct ProfileHead {
  const HardwareProfile& like;  ///< profile whose numbers stay where nothing was measured
  std::string name;             ///< of the profile; empty: the device's name
  std::string date;             ///< of the measurement; may be empty
};

struct Assembled {
  HardwareProfile profile;
  std::vector<std::string> remarks;  ///< numbers that were adjusted or left out
};

/// Throws SpecError unless pinned copies were measured in both directions.
[[nodiscard]] Assembled assemble_profile(const SampleSet& set, const Calibration& calibration,
                                         const ProfileHead& head);

/// Sets the provenance of `fields`, in place of entries about them and fields below them.
void say_measured(HardwareProfile& profile, const std::string& fields, std::string source,
                  const std::string& date);
/// Rounds to whole MB/s, finer than any timing.
[[nodiscard]] BytesPerSecond rate_from(double bytes_per_s);

}  // namespace ooc
