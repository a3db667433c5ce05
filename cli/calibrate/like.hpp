// Profile that supplies all numbers that were not measured: --like, else the shipped profile of the device.
#pragma once

#include <optional>
#include <string>

#include "calibrate/session/samples.hpp"
#include "model/base/spec_tree.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

/// Returns the profile `flag` (--like), else the shipped one for the device of `machine`. Throws SpecError without one.
[[nodiscard]] HardwareProfile profile_like(const std::optional<std::string>& flag,
                                           const KeyValues& machine, const ReadLimits& limits);

/// Returns "h200" for "NVIDIA H200", "v100" for "Tesla V100-SXM2-16GB", "3090" for "GeForce RTX 3090"; empty: unknown.
[[nodiscard]] std::string model_of(std::string_view device);

}  // namespace ooc
