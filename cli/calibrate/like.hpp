// The profile whose numbers stand where nothing was measured: --like, else the shipped one of the device's name.
#pragma once

#include <optional>
#include <string>

#include "calibrate/session/samples.hpp"
#include "model/base/spec_tree.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

/// `machine` may be empty: then `flag`, the value of --like, must be there. Throws SpecError where none is of the device.
[[nodiscard]] HardwareProfile profile_like(const std::optional<std::string>& flag,
                                           const KeyValues& machine, const ReadLimits& limits);

/// "h200" of "NVIDIA H200", "v100" of "Tesla V100-SXM2-16GB", "3090" of "GeForce RTX 3090"; empty: nothing like a model.
[[nodiscard]] std::string model_of(std::string_view device);

}  // namespace ooc
