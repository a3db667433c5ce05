// Whether the machines that a table names are known and can have run what it says of them.
#pragma once

#include <string>
#include <vector>

#include "calibrate/fit/fit_stage.hpp"

namespace ooc {

/// Throws SpecError naming file, line and column.
void check_operations(const std::vector<MeasuredOperation>& operations, const FitMachines& machines,
                      const FitParameters& architectures, const std::string& file);

}  // namespace ooc
