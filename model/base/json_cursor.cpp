// The cursor behind the parser, and the two questions about a text that need no parser: where is a
// byte, and is it UTF-8 at all.
#include "model/base/json_cursor.hpp"

#include <array>

namespace ooc {
namespace {

constexpr std::string_view kSeparators = " \t\r\n,:";
constexpr std::string_view kTokenEnds = " \t\r\n,:[]{}\"";

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

bool is_continuation(unsigned byte) { return (byte & 0xc0U) == 0x80U; }

void advance(TextPlace& place, std::string_view text, std::size_t at) {
  if (text[at] == '\n') {
    ++place.line;
    place.column = 1;
  } else if (!is_continuation(byte_at(text, at))) {
    ++place.column;
  }
}

/// Length of the UTF-8 sequence at `at`, 0 if there is none (RFC 3629: no overlong forms, no
/// surrogates, nothing above U+10FFFF).
std::size_t utf8_length(std::string_view text, std::size_t at) {
  struct Form {
    unsigned first, last;      // range of the first byte
    unsigned lowest, highest;  // range of the second
    std::size_t length;
  };
  static constexpr std::array<Form, 8> kForms{{{0xc2, 0xdf, 0x80, 0xbf, 2},
                                               {0xe0, 0xe0, 0xa0, 0xbf, 3},
                                               {0xe1, 0xec, 0x80, 0xbf, 3},
                                               {0xed, 0xed, 0x80, 0x9f, 3},
                                               {0xee, 0xef, 0x80, 0xbf, 3},
                                               {0xf0, 0xf0, 0x90, 0xbf, 4},
                                               {0xf1, 0xf3, 0x80, 0xbf, 4},
                                               {0xf4, 0xf4, 0x80, 0x8f, 4}}};
  const unsigned byte = byte_at(text, at);
  if (byte < 0x80) return 1;
  for (const Form& form : kForms) {
    if (byte < form.first || byte > form.last) continue;
    if (at + form.length > text.size()) return 0;
    const unsigned second = byte_at(text, at + 1);
    if (second < form.lowest || second > form.highest) return 0;
    for (std::size_t i = 2; i < form.length; ++i) {
      if (!is_continuation(byte_at(text, at + i))) return 0;
    }
    return form.length;
  }
  return 0;
}

}  // namespace

void JsonCursor::step() {
  advance(place_, text_, at_);
  ++at_;
}

void JsonCursor::to_next_token() {
  while (!at_end() && kSeparators.find(text_[at_]) != std::string_view::npos) step();
}

std::size_t JsonCursor::token_end() const {
  if (at_end()) return at_;
  const char first = text_[at_];
  std::size_t end = at_ + 1;
  if (first == '"') {
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2U : 1U;
    return end < text_.size() ? end + 1 : text_.size();
  }
  if (first == '[' || first == ']' || first == '{' || first == '}') return end;
  const std::size_t next = text_.find_first_of(kTokenEnds, end);
  return next == std::string_view::npos ? text_.size() : next;
}

std::string_view JsonCursor::take_token() {
  const std::size_t begin = at_;
  const std::size_t end = token_end();
  while (at_ < end) step();
  return text_.substr(begin, end - begin);
}

TextPlace place_of(std::string_view text, std::size_t offset) {
  TextPlace place;
  for (std::size_t at = 0; at < offset && at < text.size(); ++at) advance(place, text, at);
  return place;
}

std::size_t first_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return at;
    at += length;
  }
  return at;
}

}  // namespace ooc
