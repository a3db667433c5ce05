// Text from files and command lines: letters and bytes, and escapes for what could deceive a terminal or its reader.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ooc {

/// Returns the length in bytes of the control character at the start of `text`; 0 if there is none. Control characters
/// are: ASCII and C1 controls; line and paragraph separators; marks, embeddings, overrides and isolates of
/// bidirectional text (U+061C, U+200E/F, U+202A-E, U+2066-9), which can disguise a name; each byte that is not UTF-8.
[[nodiscard]] std::size_t control_length(std::string_view text);

/// Returns the length in bytes of the UTF-8 character at the start of `text`; 1 if there is none, or `text` is empty.
[[nodiscard]] std::size_t character_length(std::string_view text);

/// Returns the offset of the first byte that is not valid UTF-8; text.size() if there is none.
[[nodiscard]] std::size_t first_invalid_utf8(std::string_view text);

/// Returns `text` with `shown` in place of each control character, except ASCII ones in `kept`. For
/// printed names of files.
[[nodiscard]] std::string printable(std::string_view text, std::string_view kept = {},
                                    std::string_view shown = "?");

/// Returns `text` with control characters escaped as in JSON (\u202e), bytes that are not UTF-8 as \x9b. ASCII control
/// characters in `kept` stay. Characters in `backslashed` get a backslash in front; with the backslash among them,
/// different texts have different results.
[[nodiscard]] std::string escaped_controls(std::string_view text, std::string_view backslashed,
                                           std::string_view kept = {});

/// Returns the first `longest` bytes of `text`, or up to 3 fewer so that no UTF-8 character is split.
[[nodiscard]] std::string_view cut_text(std::string_view text, std::size_t longest);

/// Returns `text` with ASCII letters in lower case.
[[nodiscard]] std::string lower_case(std::string_view text);

}  // namespace ooc
