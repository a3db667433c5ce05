// What a sweep reads from files.
#pragma once

#include "simulator/predict/study.hpp"

namespace ooc {

/// Loads them. Throws SpecError for what is wrong with all rows of a network on a machine, before any is
/// run, and for one file given twice.
[[nodiscard]] SweepInputs load_sweep(const SweepGrid& grid, const CaseOptions& options);

}  // namespace ooc
