// Lists of a sweep from its flags, and the files that they name.
#pragma once

#include "cli/command.hpp"
#include "simulator/predict/study.hpp"

namespace ooc {

/// Throws SpecError for missing, repeated or too many values.
[[nodiscard]] SweepLists sweep_lists(const Arguments& arguments);

/// Loads the files. Throws SpecError before any run for an error in all rows of a network on a
/// machine, and for a file given twice. Default of --framework: the machines' (load_framework_of).
[[nodiscard]] SweepInputs load_sweep(const SweepGrid& grid, CaseOptions options);

}  // namespace ooc
