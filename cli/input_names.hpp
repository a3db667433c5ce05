// What can be said about the inputs of a command line before any of them is read.
#pragma once

#include "cli/command.hpp"

namespace ooc {

/// Throws SpecError where two inputs are standard input. Remarks, unless --quiet, on every name that is both
/// a data file's and a file's in the current folder.
void check_inputs(const Command& command, const Arguments& arguments);

}  // namespace ooc
