// The program, from its command line to its exit code.
#pragma once

#include <string>
#include <vector>

namespace ooc {

/// Parses `command_line` (program name first), runs the command and returns the exit code.
[[nodiscard]] int run_command_line(const std::vector<std::string>& command_line);

}  // namespace ooc
