// The machines that operations were measured on: hardware profiles, or a table of data sheets where a GPU has
// none.
#pragma once

#include <string>
#include <string_view>

#include "calibrate/fit/fit_stage.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

/// Throws SpecError where the profile does not say which kernels the machine has.
[[nodiscard]] FitMachine fit_machine(const HardwareProfile& profile);

/// A table of machines by name (docs/calibration.md, "Tables of operations"). Throws SpecError naming file, line
/// and column.
[[nodiscard]] FitMachines read_machines(std::string_view text, const std::string& file);

}  // namespace ooc
