// Input files as text. Standard input is one, named "-".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ooc {

struct ReadLimits;  // model/base/spec_tree.hpp

inline constexpr std::string_view kStandardInput = "-";

/// Returns a path that can be opened several times: `path`, or for "-" /dev/stdin. A pipe is first
/// copied to memory, up to a little more than `max_bytes`. Throws SpecError if it cannot be read.
[[nodiscard]] std::string readable_path(const std::string& path, std::int64_t max_bytes);

/// Returns the text of a file. Throws SpecError for a missing or unreadable file, or one above the
/// limit. `place`: flag that named the file, for the message; or empty.
[[nodiscard]] std::string read_text_file(const std::string& path, std::string_view place,
                                         const ReadLimits& limits);
[[nodiscard]] std::string read_text_file(const std::string& path);

}  // namespace ooc
