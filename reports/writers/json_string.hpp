// JSON strings for those who write JSON by hand, row by row.
#pragma once

#include <string>
#include <string_view>

namespace ooc {

/// JSON text without the control characters that JSON allows in strings and terminals obey: as \u009b.
[[nodiscard]] std::string json_for_terminals(const std::string& json);

/// `text` as a JSON string with its quotes; bytes that are no UTF-8 become U+FFFD, as in every other
/// result.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace ooc
