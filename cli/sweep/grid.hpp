// Lists of a sweep from its flags, and the files named in them.
#pragma once

#include "cli/command.hpp"
#include "simulator/predict/study.hpp"

namespace ooc {

/// Returns the lists of all axes. Throws SpecError for missing, too many, or repeated values.
[[nodiscard]] SweepLists sweep_lists(const Arguments& arguments);

/// Loads the files of the grid. Throws SpecError for a file given twice, and for an error that all
/// rows of a network on a machine would have. Default of --framework: as load_framework_of().
[[nodiscard]] SweepInputs load_sweep(const SweepGrid& grid, CaseOptions options);

}  // namespace ooc
