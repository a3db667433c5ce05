// Input files as text. The path "-" means standard input.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ooc {

struct ReadLimits;  // model/base/spec_tree.hpp

inline constexpr std::string_view kStandardInput = "-";

/// Returns a path that can be opened several times: `path`; for "-" /dev/stdin, whose text is first
/// copied to memory if from a pipe (up to a little more than `max_bytes`). Throws SpecError if
/// standard input cannot be read.
[[nodiscard]] std::string readable_path(const std::string& path, std::int64_t max_bytes);

/// Returns the text of a file. Throws SpecError for a missing, unreadable or too large one (above
/// limits.max_bytes). `place`: flag that named the file, for the message; empty: none.
[[nodiscard]] std::string read_text_file(const std::string& path, std::string_view place,
                                         const ReadLimits& limits);
[[nodiscard]] std::string read_text_file(const std::string& path);

}  // namespace ooc
