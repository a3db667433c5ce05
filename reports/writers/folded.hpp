// Text for narrow terminals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ooc {

/// Returns the columns of `text` on a terminal: code points, without colour codes.
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// Breaks lines longer than `width` columns (0: none) at blanks, and after "|" within words. The
/// rest of a line is indented like the line; for two parts ("  --flag VALUE   what it does") like
/// the second part. If too little room is left, the whole second part goes below the first.
[[nodiscard]] std::string folded(std::string_view text, std::size_t width);

}  // namespace ooc
