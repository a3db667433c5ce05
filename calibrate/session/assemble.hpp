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

/// "machine" and "samples" of the profile: who was measured, and median, spread and count of each
/// metric, with what the fit says of copies.
[[nodiscard]] std::string measurement_json(const SampleSet& set, const Calibration& calibration);

/// `NVIDIA H200` -> "nvidia-h200-measured": a name for a profile nobody named.
[[nodiscard]] std::string default_profile_name(const SampleSet& set);

}  // namespace ooc
