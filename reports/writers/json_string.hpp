// JSON strings for those who write JSON by hand, row by row.
#pragma once

#include <string>
#include <string_view>

namespace ooc {

/// `text` as a JSON string with its quotes; bytes that are no UTF-8 become U+FFFD, as in every other
/// result.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace ooc
