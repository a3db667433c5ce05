// What a sweep reads from files.
#pragma once

#include "simulator/predict/study.hpp"

namespace ooc {

/// Loads them. Throws SpecError for what is wrong with all rows of a network on a machine, before any is
/// run, and for one file given twice. Without --framework it is the machines' (load_framework_of).
[[nodiscard]] SweepInputs load_sweep(const SweepGrid& grid, CaseOptions options);

}  // namespace ooc
