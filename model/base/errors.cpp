// One-line texts of the error kinds.
#include "model/base/errors.hpp"

#include "model/base/standard_input.hpp"
#include "model/base/terminal_text.hpp"

namespace ooc {
namespace {

/// Texts of files may be of any length: the line stays readable, parts() has them in full.
constexpr std::size_t kLongestPart = 400;
/// Lists of what is allowed are ours and may be long.
constexpr std::size_t kLongestList = 4000;

std::string cut_part(std::string_view text, std::size_t longest) {
  const std::string_view shown = cut_text(text, longest);
  return std::string(shown) + (shown.size() < text.size() ? "..." : "");
}

std::string one_line(const SpecError::Parts& parts) {
  std::string text;
  if (!parts.file.empty()) {
    text += parts.file == kStandardInput ? "standard input" : parts.file;
    text += ": ";
  }
  const std::string found = cut_part(parts.found, kLongestPart);
  const std::string expected = cut_part(parts.expected, kLongestList);
  const std::string place = cut_part(parts.place, kLongestPart);
  if (parts.is_sentence) {
    text += place + " " + found + (expected.empty() ? "" : "; " + expected);
  } else {
    text += (place.empty() ? "" : place + ": ") + "found " + found + ", expected " + expected;
  }
  if (!parts.hint.empty()) text += " (" + cut_part(parts.hint, kLongestList) + ")";
  std::string shown;  // one line, and nothing that a terminal would obey
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = std::string_view(text).substr(i);
    const std::size_t length = character_length(rest);
    shown += control_length(rest) == 0 ? rest.substr(0, length) : " ";
    i += length;
  }
  return shown;
}

}  // namespace

SpecError::SpecError(Parts parts) : std::runtime_error(one_line(parts)), parts_(std::move(parts)) {}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  const std::string_view shown = cut_text(text, kLongest);
  return '"' + escaped_controls(shown, "\"\\") + (shown.size() < text.size() ? "...\"" : "\"");
}

void check_failed(const char* condition, std::string_view belief, const char* file, int line) {
  throw InternalError(std::string(file) + ":" + std::to_string(line) +
                      ": this is a bug in OOC-Paleo: believed that " + std::string(belief) + " (" +
                      condition + ")");
}

}  // namespace ooc
