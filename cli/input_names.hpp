// Checks of a command line's inputs before any is read.
#pragma once

#include "cli/command.hpp"

namespace ooc {

/// Throws SpecError if two inputs are standard input. Unless --quiet, remarks on names of data
/// files that also exist in the current folder.
void check_inputs(const Command& command, const Arguments& arguments);

}  // namespace ooc
