// Child process with pipes to its standard input and from its standard output, read by line with a
// time limit. The child has its own process group, so Ctrl-C reaches only the parent, which then
// ends the child in order. Standard error is shared.
// Also: paths of other programs that this one runs.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ooc {

class ChildProcess {
 public:
  /// Never throws; `error()` says why the child could not start.
  ChildProcess(const std::string& program, const std::vector<std::string>& arguments);
  ~ChildProcess();  ///< closes its input, waits a moment, then kills it
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] const std::string& error() const { return error_; }

  struct Line {
    std::string text;  ///< line without its end
  };
  struct Ended {
    std::string how;  ///< such as "ended with exit code 3" or "was killed by signal 9"
    int exit_code = -1;
  };
  struct Silent {};  ///< no line within the limit
  struct Stopped {};
  using Read = std::variant<Line, Ended, Silent, Stopped>;

  [[nodiscard]] Read read_line(int limit_ms, const std::function<bool()>& stop);
  /// kNobodyReads: the child closed its input. kSilent: it read nothing within the limit.
  enum class Wrote { kAll, kNobodyReads, kSilent, kStopped };
  /// Output of the child is buffered meanwhile, since the child may not read before its output is taken.
  [[nodiscard]] Wrote write(std::string_view text, int limit_ms, const std::function<bool()>& stop);
  void kill();

 private:
  [[nodiscard]] Ended wait_for_end();
  void take_output();

  int input_ = -1;
  int output_ = -1;
  int pid_ = -1;
  bool at_end_ = false;
  std::string buffer_;
  std::string error_;
};

[[nodiscard]] bool can_run(const std::string& path);
/// Returns all paths that PATH gives for `name`, existing or not.
[[nodiscard]] std::vector<std::string> places_on_path(std::string_view name);

}  // namespace ooc
