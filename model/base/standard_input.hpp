// "-" in the place of an input file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ooc {

inline constexpr std::string_view kStandardInput = "-";

/// Where to read what `path` names: itself, and for "-" a place with all of standard input, from its
/// beginning however often it is opened. A pipe is read to its end for that, or to a byte behind `max_bytes`.
[[nodiscard]] std::string readable_path(const std::string& path, std::int64_t max_bytes);

}  // namespace ooc
