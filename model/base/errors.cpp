// One-line texts of the error kinds.
#include "model/base/errors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "model/base/terminal_text.hpp"
#include "model/base/text_file.hpp"

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
  return printable(text, {}, " ");  // one line, and nothing that a terminal would obey
}

// "Did you mean": the optimal string alignment distance (insert, delete, replace, swap neighbours),
// case ignored. A third of the letters may be wrong; below four letters only one.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before;  // rows i-2, i-1 and i of the table
  std::vector<std::size_t> above(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::move(above);
    above = std::move(row);
  }
  return above[b.size()];
}

}  // namespace

SpecError::SpecError(Parts parts) : std::runtime_error(one_line(parts)), parts_(std::move(parts)) {}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  const std::string_view shown = cut_text(text, kLongest);
  return '"' + escaped_controls(shown, "\"\\") + (shown.size() < text.size() ? "...\"" : "\"");
}

std::optional<std::string> nearest_word(std::string_view word,
                                        const std::vector<std::string>& known) {
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  std::optional<std::string> nearest;
  std::size_t best = limit + 1;
  for (const std::string& candidate : known) {
    const std::size_t shorter = std::min(word.size(), candidate.size());
    const std::size_t longer = std::max(word.size(), candidate.size());
    if (longer - shorter > limit || longer > 1000) continue;
    const std::size_t steps = distance(lower_case(word), lower_case(candidate));
    if (steps < best && steps < longer) {  // all letters wrong is no resemblance
      best = steps;
      nearest = candidate;
    }
  }
  return nearest;
}

// A part of a word ("v100", "4090") is more likely than a misspelt one, and edit distance knows nothing of it.

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  std::vector<std::string> likely;
  const auto take = [&](auto is_likely) {
    if (!likely.empty()) return;
    std::ranges::copy_if(known, std::back_inserter(likely), is_likely);
  };
  constexpr std::size_t kShortestPart = 3;
  if (!word.empty()) take([&](const std::string& each) { return each.starts_with(word); });
  if (word.size() >= kShortestPart) {
    take([&](const std::string& each) { return each.find(word) != std::string::npos; });
  }
  if (likely.empty()) {
    if (auto near = nearest_word(word, known)) likely.push_back(*std::move(near));
  }
  constexpr std::size_t kMostShown = 6;
  if (likely.size() > kMostShown) likely.resize(kMostShown);
  std::string text;
  for (std::size_t i = 0; i < likely.size(); ++i) {
    text += (i == 0 ? "did you mean " : i + 1 == likely.size() ? " or " : ", ") + likely[i];
  }
  return text.empty() ? text : text + "?";
}

void cannot_combine(std::string_view option, const std::string& with, std::string remedy,
                    std::string why) {
  throw SpecError({.place = std::string(option),
                   .found = "cannot be combined with " + with,
                   .expected = std::move(remedy),
                   .hint = std::move(why),
                   .is_sentence = true});
}

void needs_option(std::string_view option, const std::string& needed) {
  throw SpecError({.place = std::string(option), .found = "needs " + needed, .is_sentence = true});
}

void bad_value(std::string_view flag, std::string found, std::string expected, std::string hint) {
  throw SpecError({"", std::string(flag), std::move(found), std::move(expected), std::move(hint)});
}

void unknown_word(std::string_view flag, std::string_view word,
                  const std::vector<std::string>& known) {
  bad_value(flag, in_quotes(word), fmt::format("one of: {}", fmt::join(known, ", ")),
            did_you_mean(word, known));
}

void check_failed(const char* condition, std::string_view belief, const char* file, int line) {
  throw InternalError(std::string(file) + ":" + std::to_string(line) +
                      ": this is a bug in OOC-Paleo: believed that " + std::string(belief) + " (" +
                      condition + ")");
}

}  // namespace ooc
