// One-line texts of the error kinds.
#include "model/base/errors.hpp"

#include <algorithm>

#include "model/base/terminal_text.hpp"

namespace ooc {
namespace {

/// The first `longest` bytes, fewer where a UTF-8 sequence would be split.
std::string_view cut(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return text;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end);
}

/// One UTF-8 sequence of at most three bytes as in JSON: \u202e.
std::string escaped(std::string_view sequence) {
  const auto bits = [&](std::size_t i, unsigned mask) {
    return static_cast<unsigned char>(sequence[i]) & mask;
  };
  unsigned code = bits(0, 0x7fU);
  if (sequence.size() == 2) code = (bits(0, 0x1fU) << 6U) | bits(1, 0x3fU);
  if (sequence.size() == 3) {
    code = (bits(0, 0x0fU) << 12U) | (bits(1, 0x3fU) << 6U) | bits(2, 0x3fU);
  }
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text = "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) text += kHex[(code >> shift) & 0xfU];
  return text;
}

std::string one_line(const SpecError::Parts& parts) {
  std::string text;
  if (!parts.file.empty()) text += parts.file + ": ";
  // A place may hold a key of any length: the line stays readable, parts() has it in full.
  constexpr std::size_t kLongestPlace = 400;
  if (!parts.place.empty()) {
    text += cut(parts.place, kLongestPlace);
    text += parts.place.size() > kLongestPlace ? "...: " : ": ";
  }
  text += "found " + parts.found + ", expected " + parts.expected;
  if (!parts.hint.empty()) text += " (" + parts.hint + ")";
  std::string shown;  // one line, and nothing that a terminal would obey
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t control = control_length(std::string_view(text).substr(i));
    shown += control == 0 ? text[i] : ' ';
    i += std::max<std::size_t>(control, 1);
  }
  return shown;
}

}  // namespace

SpecError::SpecError(Parts parts) : std::runtime_error(one_line(parts)), parts_(std::move(parts)) {}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  const bool is_cut = text.size() > kLongest;
  text = cut(text, kLongest);
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t control = control_length(text.substr(i));
    if (control > 0) {
      out += escaped(text.substr(i, control));
      i += control;
      continue;
    }
    const char c = text[i++];
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + (is_cut ? "...\"" : "\"");
}

void check_failed(const char* condition, std::string_view belief, const char* file, int line) {
  throw InternalError(std::string(file) + ":" + std::to_string(line) +
                      ": this is a bug in OOC-Paleo: believed that " + std::string(belief) + " (" +
                      condition + ")");
}

}  // namespace ooc
