// What `sha256sum` says of a file: how results name the bytes that they were made from.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ooc {

/// 64 hexadecimal digits.
[[nodiscard]] std::string sha256(std::string_view bytes);
/// Of a file; none where it cannot be read again: a pipe, or one that is gone.
[[nodiscard]] std::optional<std::string> sha256_of_file(const std::string& path);

}  // namespace ooc
