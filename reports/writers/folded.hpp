// Text for narrow terminals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ooc {

/// Columns that `text` takes: code points, colours not counted.
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// Lines of more than `width` columns broken at blanks and behind "|" within words, 0: none. What follows a line goes below its text; of
/// a line in two parts ("  --flag VALUE   what it does") below the second, or all of the second part below the
/// first where that leaves too little.
[[nodiscard]] std::string folded(std::string_view text, std::size_t width);

}  // namespace ooc
