// By the bytes of UTF-8: texts may hold anything, so nothing is decoded.
#include "model/base/terminal_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace ooc {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
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
      if ((byte_at(text, at + i) & 0xc0U) != 0x80U) return 0;
    }
    return form.length;
  }
  return 0;
}

/// One control character.
std::string escape_of(std::string_view sequence) {
  const auto bits = [&](std::size_t i, unsigned mask) {
    return static_cast<unsigned char>(sequence[i]) & mask;
  };
  unsigned code = bits(0, 0xffU);
  if (sequence.size() == 1 && code >= 0x80) return {'\\', 'x', kHex[code >> 4U], kHex[code & 0xfU]};
  if (sequence.size() == 2) code = (bits(0, 0x1fU) << 6U) | bits(1, 0x3fU);
  if (sequence.size() == 3) {
    code = (bits(0, 0x0fU) << 12U) | (bits(1, 0x3fU) << 6U) | bits(2, 0x3fU);
  }
  std::string text = "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) text += kHex[(code >> shift) & 0xfU];
  return text;
}

}  // namespace

std::size_t character_length(std::string_view text) {
  return text.empty() ? 1 : std::max<std::size_t>(1, utf8_length(text, 0));
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

std::size_t control_length(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto within = [](unsigned value, unsigned first, unsigned last) {
    return value >= first && value <= last;
  };
  if (text.empty()) return 0;
  if (byte(0) < 0x20 || byte(0) == 0x7f) return 1;
  if (byte(0) < 0x80) return 0;
  if (character_length(text) == 1) return 1;  // no UTF-8
  if (byte(0) == 0xc2 && within(byte(1), 0x80, 0x9f)) return 2;
  if (byte(0) == 0xd8 && byte(1) == 0x9c) return 2;
  if (byte(0) != 0xe2) return 0;
  const bool in_20xx =
      byte(1) == 0x80 && (within(byte(2), 0x8e, 0x8f) || within(byte(2), 0xa8, 0xae));
  const bool in_206x = byte(1) == 0x81 && within(byte(2), 0xa6, 0xa9);
  return in_20xx || in_206x ? 3 : 0;
}

std::string printable(std::string_view text, std::string_view kept, std::string_view shown) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    const std::size_t length = character_length(rest);
    const bool is_shown = control_length(rest) == 0 || kept.find(text[i]) != std::string_view::npos;
    result += is_shown ? rest.substr(0, length) : shown;
    i += length;
  }
  return result;
}

std::string escaped_controls(std::string_view text, std::string_view backslashed,
                             std::string_view kept) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    const std::string_view character = rest.substr(0, character_length(rest));
    if (control_length(rest) > 0 && kept.find(text[i]) == std::string_view::npos) {
      result += escape_of(character);
    } else {
      if (backslashed.find(text[i]) != std::string_view::npos) result += '\\';
      result += character;
    }
    i += character.size();
  }
  return result;
}

std::string_view cut_text(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return text;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

}  // namespace ooc
