// What somebody who wrote an unknown word may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ooc {

/// "did you mean A, B or C?" with the known words that begin as `word` does, else that contain it, else with the
/// nearest one; empty where nothing is near.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string>& known);

}  // namespace ooc
