// Whether a profile is of the machine that was measured.
#pragma once

#include <string>

#include "calibrate/session/key_values.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

/// What speaks against it, or an empty text. A measured profile knows its device; of others the
/// device's model ("H200") is looked for in name and description, so a renamed device stays unknown.
[[nodiscard]] std::string machine_mismatch(const HardwareProfile& profile,
                                           const KeyValues& machine);

}  // namespace ooc
