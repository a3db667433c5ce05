// What must not reach a terminal, or a reader's eye, unescaped from a file or a command line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ooc {

/// Length in bytes of the control character that `text` begins with, 0 where it begins with none: ASCII
/// and C1 controls, which terminals obey; line and paragraph separators; the marks, embeddings, overrides
/// and isolates of bidirectional text (U+061C, U+200E/F, U+202A-E, U+2066-9), with which a name can show
/// something else than it is; and any byte that is no UTF-8, of which terminals make what they like.
[[nodiscard]] std::size_t control_length(std::string_view text);

/// Length in bytes of the character that `text` begins with: 1 for a byte that is no UTF-8.
[[nodiscard]] std::size_t character_length(std::string_view text);

/// Offset of the first byte that is not part of valid UTF-8; text.size() when all is well.
[[nodiscard]] std::size_t first_invalid_utf8(std::string_view text);

/// Control characters but the ASCII ones in `kept` replaced by "?": names come from files and end up on
/// terminals.
[[nodiscard]] std::string printable(std::string_view text, std::string_view kept = {});

/// Control characters but the ASCII ones in `kept` as in JSON, \u202e (bytes that are no UTF-8 as \x9b), and
/// a backslash before those of `backslashed`. With the backslash among them no two texts become one.
[[nodiscard]] std::string escaped_controls(std::string_view text, std::string_view backslashed,
                                           std::string_view kept = {});

/// The first `longest` bytes, fewer where a UTF-8 sequence would be split.
[[nodiscard]] std::string_view cut_text(std::string_view text, std::size_t longest);

}  // namespace ooc
