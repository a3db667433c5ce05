// Manual page, generated from the table of commands and so always like --help.
#pragma once

#include <string>

namespace ooc {

/// Returns the page in the language of man(7).
[[nodiscard]] std::string manual_page();

}  // namespace ooc
