// What must not reach a terminal, or a reader's eye, unescaped from a file or a command line.
#pragma once

#include <cstddef>
#include <string_view>

namespace ooc {

/// Length in bytes of the control character that `text` begins with, 0 where it begins with none: ASCII
/// and C1 controls, which terminals obey; line and paragraph separators; and the marks, embeddings,
/// overrides and isolates of bidirectional text (U+061C, U+200E/F, U+202A-E, U+2066-9), with which a name
/// can show something else than it is.
[[nodiscard]] std::size_t control_length(std::string_view text);

}  // namespace ooc
