// Parses a command line to Arguments.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/command.hpp"

namespace ooc {

/// Result of --help: the caller prints `text` and stops.
struct HelpWanted {
  std::string text;
};

/// Returns the parsed arguments. `command_line`: program, command, arguments. Throws SpecError for
/// an unknown flag (naming the nearest), a missing or repeated value, and surplus arguments.
[[nodiscard]] std::variant<Arguments, HelpWanted> parse_arguments(
    const Command& command, const std::vector<std::string>& command_line);

}  // namespace ooc
