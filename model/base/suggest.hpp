// Suggestions for a mistyped word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ooc {

/// Returns "did you mean A, B or C?" with the entries of `known` that begin with `word`; else those
/// that contain it; else the nearest. Empty if no entry is near.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string>& known);

}  // namespace ooc
