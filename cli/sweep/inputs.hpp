// Input files of a sweep.
#pragma once

#include "simulator/predict/study.hpp"

namespace ooc {

/// Loads the files. Throws SpecError before any run for an error in all rows of a network on a
/// machine, and for a file given twice. Default of --framework: the machines' (load_framework_of).
[[nodiscard]] SweepInputs load_sweep(const SweepGrid& grid, CaseOptions options);

}  // namespace ooc
