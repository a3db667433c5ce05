// An unfinished word ("v100") is more likely than a misspelt one, and edit distance knows nothing of it.
#include "model/base/suggest.hpp"

#include "model/base/spec_tree.hpp"

namespace ooc {

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  std::vector<std::string> begun;
  for (const std::string& each : known) {
    if (!word.empty() && each.starts_with(word)) begun.push_back(each);
  }
  if (begun.empty()) {
    if (auto near = nearest_word(word, known)) begun.push_back(*std::move(near));
  }
  std::string text;
  for (std::size_t i = 0; i < begun.size(); ++i) {
    text += (i == 0 ? "did you mean " : i + 1 == begun.size() ? " or " : ", ") + begun[i];
  }
  return text.empty() ? text : text + "?";
}

}  // namespace ooc
