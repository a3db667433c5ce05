// The commands in a Markdown file: blocks fenced as ```console, in which a line that starts with "$ " is
// a command (a backslash at its end goes on in the next line) and the lines behind it are its output.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ooc::test {

struct GoldenCommand {
  std::size_t line = 0;  ///< of the "$ ", from 1
  std::string command;
  std::string output;  ///< expected, with the last line's end
};

/// Throws std::runtime_error for a console block without a command, output before the first command,
/// or a block that is not closed.
[[nodiscard]] std::vector<GoldenCommand> console_commands(std::string_view markdown);

/// The same text with each command's output replaced by what `run` says.
[[nodiscard]] std::string with_outputs(
    std::string_view markdown, const std::function<std::string(const std::string& command)>& run);

[[nodiscard]] std::vector<std::filesystem::path> markdown_in(const std::filesystem::path& folder);

/// Runs the commands of a file in a scratch folder; checks their outputs, or with OOC_UPDATE_GOLDEN writes them there.
void check_or_update(const std::filesystem::path& file);

}  // namespace ooc::test
