// Standard input as an input file, named "-".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ooc {

inline constexpr std::string_view kStandardInput = "-";

/// Returns a path that can be opened several times: `path`, or for "-" /dev/stdin. A pipe is first
/// copied to memory, up to a little more than `max_bytes`. Throws SpecError if it cannot be read.
[[nodiscard]] std::string readable_path(const std::string& path, std::int64_t max_bytes);

}  // namespace ooc
