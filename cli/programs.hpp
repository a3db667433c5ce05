// Paths of other programs that this one runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ooc {

[[nodiscard]] bool can_run(const std::string& path);
/// Returns all paths that PATH gives for `name`, existing or not.
[[nodiscard]] std::vector<std::string> places_on_path(std::string_view name);

}  // namespace ooc
