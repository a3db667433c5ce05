// How wide the place is that a text goes to.
#pragma once

#include <cstddef>
#include <string>

namespace ooc {

/// Columns of the terminal behind a descriptor, at least 60; where there is none 0: as wide as it comes. COLUMNS
/// goes before what the terminal says.
[[nodiscard]] std::size_t width_of(int descriptor);
/// The same of an output; "-" is standard output.
[[nodiscard]] std::size_t width_for(const std::string& output);

}  // namespace ooc
