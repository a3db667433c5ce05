// The manual page, written from the table of commands so that it cannot fall behind --help.
#pragma once

#include <string>

namespace ooc {

/// In the language of man(7).
[[nodiscard]] std::string manual_page();

}  // namespace ooc
