// Other programs that this one runs: where they may lie.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ooc {

[[nodiscard]] bool can_run(const std::string& path);
/// Where PATH has programs of that name, whether they are there or not.
[[nodiscard]] std::vector<std::string> places_on_path(std::string_view name);

}  // namespace ooc
