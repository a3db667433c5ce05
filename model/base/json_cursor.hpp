// Where in a JSON text the parser is. Debian's nlohmann/json 3.11.2 reports no positions to a SAX
// handler, but it reports every token in order: this cursor walks the same text one token behind it
// and so knows line and column of each. It relies on the parser having accepted the token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ooc {

struct TextPlace {
  std::int32_t line = 1;
  std::int32_t column = 1;  ///< in characters (code points), not bytes
};

class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : text_(text) {}

  /// Moves over white space, commas and colons to the first character of the next token.
  void to_next_token();
  /// Moves over the token under the cursor (a bracket, string, number or word) and returns its
  /// text.
  std::string_view take_token();

  [[nodiscard]] TextPlace place() const { return place_; }
  [[nodiscard]] std::size_t offset() const { return at_; }
  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }

 private:
  void step();
  [[nodiscard]] std::size_t token_end() const;

  std::string_view text_;
  std::size_t at_ = 0;
  TextPlace place_;
};

/// The place of a byte of the text, counted from its beginning.
[[nodiscard]] TextPlace place_of(std::string_view text, std::size_t offset);
/// Offset of the first byte that is not part of valid UTF-8; text.size() when all is well.
[[nodiscard]] std::size_t first_invalid_utf8(std::string_view text);

}  // namespace ooc
