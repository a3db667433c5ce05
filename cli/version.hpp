// Version of the program, from CMakeLists.txt.
#pragma once

#include <string_view>

namespace ooc {

[[nodiscard]] std::string_view version();

}  // namespace ooc
