// One-line texts of the error kinds.
#include "model/base/errors.hpp"

namespace ooc {
namespace {

/// The first `longest` bytes, fewer where a UTF-8 sequence would be split.
std::string_view cut(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return text;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end);
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
  for (char& c : text) {  // one line, and nothing that a terminal would obey
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return text;
}

}  // namespace

SpecError::SpecError(Parts parts) : std::runtime_error(one_line(parts)), parts_(std::move(parts)) {}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  const bool is_cut = text.size() > kLongest;
  text = cut(text, kLongest);
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += "\\u00";
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xfU];
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + (is_cut ? "...\"" : "\"");
}

void check_failed(const char* condition, std::string_view belief, const char* file, int line) {
  throw InternalError(std::string(file) + ":" + std::to_string(line) +
                      ": this is a bug in OOC-Paleo: believed that " + std::string(belief) + " (" +
                      condition + ")");
}

}  // namespace ooc
