// Runs another program and finds programs on PATH.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ooc {

/// End of a child process.
struct ChildEnd {
  std::string how;     ///< text such as "ended with exit code 3" or "said nothing for 5 s"
  int exit_code = -1;  ///< -1: did not start, was killed, or did not end
};

/// Runs a program without input; `take` gets each line of its output with the line's end. The child has its own process
/// group, so Ctrl-C reaches only the parent, which then ends the child. An exception of `take`, or no line for
/// `silence_ms`, also ends the child. Standard error is shared. Unset: ended by Ctrl-C (InterruptGuard).
[[nodiscard]] std::optional<ChildEnd> run_child(
    const std::string& program, const std::vector<std::string>& arguments, int silence_ms,
    const std::function<void(const std::string& line)>& take);

[[nodiscard]] bool can_run(const std::string& path);
/// Returns all paths that PATH gives for `name`, existing or not.
[[nodiscard]] std::vector<std::string> places_on_path(std::string_view name);

}  // namespace ooc
