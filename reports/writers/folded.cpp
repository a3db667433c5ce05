// Works on whole lines, behind everything that makes them, so that no writer has to know the width; only tables
// do (text_table.cpp), since a table is not broken at blanks.
#include "reports/writers/folded.hpp"

#include <algorithm>

namespace ooc {
namespace {

constexpr char kEscape = '\x1b';

/// Length in bytes of a colour that `text` begins with, or 0.
std::size_t colour_length(std::string_view text) {
  if (text.empty() || text.front() != kEscape) return 0;
  const std::size_t end = text.find('m');
  return end == std::string_view::npos ? 0 : end + 1;
}

bool starts_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

/// Where the second part of a line begins, or npos.
std::size_t second_part(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  if (first == std::string_view::npos) return std::string_view::npos;
  const std::size_t gap = line.find("  ", first);
  return gap == std::string_view::npos ? gap : line.find_first_not_of(' ', gap);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

/// Lists of choices are one word, "one|two|three", and longer than a line.
bool is_between_choices(std::string_view line, std::size_t at) {
  return line[at] == '|' && at > 0 && at + 1 < line.size() && is_letter(line[at - 1]) &&
         is_letter(line[at + 1]);
}

/// The byte behind the last blank, or "|" of a list, before the first `width` columns are full; at least one
/// word is taken.
std::size_t break_of(std::string_view line, std::size_t width) {
  std::size_t columns = 0;
  std::size_t best = std::string_view::npos;
  bool any_word = false;
  for (std::size_t i = 0; i < line.size();) {
    if (const std::size_t colour = colour_length(line.substr(i)); colour > 0) {
      i += colour;
      continue;
    }
    if (line[i] == ' ' && any_word) {
      if (columns > width && best != std::string_view::npos) return best;
      best = i + 1;
      if (columns > width) return best;
    }
    any_word = any_word || line[i] != ' ';
    columns += starts_code_point(line[i]) ? 1U : 0U;
    ++i;
    if (columns <= width && is_between_choices(line, i - 1)) best = i;
  }
  return columns > width && best != std::string_view::npos ? best : line.size();
}

std::string without_blanks_at_end(std::string_view line) {
  return std::string(line.substr(0, line.find_last_not_of(' ') + 1));
}

std::string folded_line(std::string_view line, std::size_t width) {
  if (columns_of(line) <= width) return std::string(line) + "\n";
  constexpr std::size_t kBelow = 6;
  std::size_t indent = std::min(line.find_first_not_of(' '), line.size()) + 2;
  std::string text;
  std::string rest(line);
  if (const std::size_t second = second_part(line); second != std::string_view::npos) {
    const bool beside = second <= width / 2;
    indent = beside ? second : kBelow;
    if (!beside) {
      text = without_blanks_at_end(line.substr(0, second)) + "\n";
      rest = std::string(indent, ' ') + std::string(line.substr(second));
    }
  }
  while (columns_of(rest) > width) {
    const std::size_t end = break_of(rest, width);
    if (end >= rest.size()) break;
    text += without_blanks_at_end(std::string_view(rest).substr(0, end)) + "\n";
    rest = std::string(indent, ' ') + rest.substr(end);
  }
  return text + rest + "\n";
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t colour = colour_length(text.substr(i));
    if (colour == 0) columns += starts_code_point(text[i]) ? 1U : 0U;
    i += std::max<std::size_t>(colour, 1);
  }
  return columns;
}

std::string folded(std::string_view text, std::size_t width) {
  if (width == 0) return std::string(text);
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    result += folded_line(text.substr(0, end), width);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

}  // namespace ooc
