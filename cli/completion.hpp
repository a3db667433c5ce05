// Shell completion, generated from the table of commands and so always complete.
#pragma once

#include <string>

namespace ooc {

/// For bash, and for zsh with bashcompinit.
[[nodiscard]] std::string bash_completion();
[[nodiscard]] std::string zsh_completion();
[[nodiscard]] std::string fish_completion();

}  // namespace ooc
