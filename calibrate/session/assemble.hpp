// From the fits to a hardware profile that predictions can use at once: what was measured replaces numbers of a
// profile of the same device, with a provenance of its own. The rest stays as it is there: architecture, kernels, peaks.
#pragma once

#include <string>
#include <vector>

#include "calibrate/session/analyse.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

struct ProfileHead {
  const HardwareProfile& like;  ///< whose numbers stand where nothing was measured
  std::string name;             ///< empty: the device's
  std::string date;             ///< of the measuring; may be empty
};

struct Assembled {
  HardwareProfile profile;
  std::vector<std::string> remarks;  ///< what had to be bent or left out
};

/// Throws SpecError where not even pinned copies in both directions were measured.
[[nodiscard]] Assembled assemble_profile(const SampleSet& set, const Calibration& calibration,
                                         const ProfileHead& head);

/// Provenance of these fields, in place of all that the profile says of them and of those below them.
void say_measured(HardwareProfile& profile, const std::string& fields, std::string source,
                  const std::string& date);
/// Whole MB/s: no timing is better than that, and files stay readable.
[[nodiscard]] BytesPerSecond rate_from(double bytes_per_s);

}  // namespace ooc
