// Shell completion, written from the table of commands so that it cannot fall behind it.
#pragma once

#include <string>

namespace ooc {

/// For bash; also good for zsh through its bashcompinit.
[[nodiscard]] std::string bash_completion();
[[nodiscard]] std::string zsh_completion();
[[nodiscard]] std::string fish_completion();

}  // namespace ooc
