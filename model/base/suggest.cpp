// A part of a word ("v100", "4090") is more likely than a misspelt one, and edit distance knows nothing of it.
#include "model/base/suggest.hpp"

#include <algorithm>
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

}  // namespace ooc
