// How wide the place is that a text goes to.
#pragma once

#include <cstddef>
#include <string>

namespace ooc {

/// Columns of the terminal where `output` ("-": standard output) is one, at least 60; else 0: as wide as it
/// comes. COLUMNS goes before what the terminal says.
[[nodiscard]] std::size_t width_for(const std::string& output);

}  // namespace ooc
