// Values of a file that are one of a few words.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/spec_tree.hpp"

namespace ooc {

template <class Value, std::size_t kCount>
using SpecChoices = std::array<std::pair<std::string_view, Value>, kCount>;

/// Returns the value that `choices` pairs with the text of `view`. Another text throws SpecError with all choices.
template <class Value, std::size_t kCount>
[[nodiscard]] Value choice_of(const SpecView& view, const SpecChoices<Value, kCount>& choices) {
  std::vector<std::string> names;
  for (const auto& [name, value] : choices) names.emplace_back(name);
  const std::string chosen = view.as_choice(names);
  const auto found = std::find_if(choices.begin(), choices.end(),
                                  [&](const auto& choice) { return choice.first == chosen; });
  return found->second;
}

}  // namespace ooc
