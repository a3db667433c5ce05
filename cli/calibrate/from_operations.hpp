// `calibrate --from-operations`: fits the kernels of a machine, or of all architectures in a
// folder, to a table of measured operations. No GPU is needed.
#pragma once

#include "cli/command.hpp"

namespace ooc {

/// Returns the exit code. Precondition: --from-operations is given.
[[nodiscard]] int run_from_operations(const Arguments& arguments);

/// Throws SpecError for flags that need --from-operations.
void check_without_operations(const Arguments& arguments);

}  // namespace ooc
