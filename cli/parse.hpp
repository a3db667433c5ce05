// From the texts of a command line to Arguments. The only user of CLI11 is parse.cpp (it compiles
// slowly); everything behind it sees plain texts.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/command.hpp"

namespace ooc {

/// --help was asked for: print `text` and stop.
struct HelpWanted {
  std::string text;
};

/// `command_line` holds the program's name, the command's name and the rest. Throws SpecError for
/// an unknown flag (with the nearest known one), a missing or repeated value, a surplus argument.
[[nodiscard]] std::variant<Arguments, HelpWanted> parse_arguments(
    const Command& command, const std::vector<std::string>& command_line);

}  // namespace ooc
