// Width of terminals.
#pragma once

#include <cstddef>
#include <string>

namespace ooc {

/// Returns COLUMNS, else the columns of the terminal behind a descriptor, at least 60; 0 if there
/// is no terminal: unlimited.
[[nodiscard]] std::size_t width_of(int descriptor);
/// Returns the width for an output; "-" is standard output.
[[nodiscard]] std::size_t width_for(const std::string& output);

}  // namespace ooc
