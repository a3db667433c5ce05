// `calibrate --from-operations`: fits the kernels of a machine, or of all architectures of a folder, to a table
// of measured operations. No GPU is needed.
#pragma once

#include "cli/command.hpp"

namespace ooc {

/// Precondition: --from-operations is given. The exit code.
[[nodiscard]] int run_from_operations(const Arguments& arguments);

/// SpecError for flags that are nothing without --from-operations.
void check_without_operations(const Arguments& arguments);

}  // namespace ooc
