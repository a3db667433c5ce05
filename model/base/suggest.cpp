// A part of a word ("v100", "4090") is more likely than a misspelt one, and edit distance knows nothing of it.
#include "model/base/suggest.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "model/base/spec_tree.hpp"

namespace ooc {

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  std::vector<std::string> likely;
  const auto take = [&](auto is_likely) {
    if (!likely.empty()) return;
    std::copy_if(known.begin(), known.end(), std::back_inserter(likely), is_likely);
  };
  constexpr std::size_t kShortestPart = 3;
  if (!word.empty()) take([&](const std::string& each) { return each.starts_with(word); });
  if (word.size() >= kShortestPart) {
    take([&](const std::string& each) { return each.find(word) != std::string::npos; });
  }
  if (likely.empty()) {
    if (auto near = nearest_word(word, known)) likely.push_back(*std::move(near));
  }
  std::string text;
  for (std::size_t i = 0; i < likely.size(); ++i) {
    text += (i == 0 ? "did you mean " : i + 1 == likely.size() ? " or " : ", ") + likely[i];
  }
  return text.empty() ? text : text + "?";
}

// "Did you mean": the optimal string alignment distance (insert, delete, replace, swap neighbours),
// case ignored. A third of the letters may be wrong; below four letters only one.

namespace {

int lower(char c) { return std::tolower(static_cast<unsigned char>(c)); }

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before;  // rows i-2, i-1 and i of the table
  std::vector<std::size_t> above(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::move(above);
    above = std::move(row);
  }
  return above[b.size()];
}

}  // namespace

std::optional<std::string> nearest_word(std::string_view word,
                                        const std::vector<std::string>& known) {
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  std::optional<std::string> nearest;
  std::size_t best = limit + 1;
  for (const std::string& candidate : known) {
    const std::size_t shorter = std::min(word.size(), candidate.size());
    const std::size_t longer = std::max(word.size(), candidate.size());
    if (longer - shorter > limit || longer > 1000) continue;
    const std::size_t steps = distance(word, candidate);
    if (steps < best && steps < longer) {  // all letters wrong is no resemblance
      best = steps;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace ooc
