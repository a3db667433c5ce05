// Checks of printed text.
#pragma once

#include <string>

namespace ooc {

[[nodiscard]] inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

namespace test {
using ooc::has;
}

}  // namespace ooc
