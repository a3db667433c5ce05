// A child process with a pipe to its standard input and one from its standard output, read line by
// line with a time limit. It is in a process group of its own, so that Ctrl-C at the terminal reaches
// the parent alone, which then ends it in order. Its standard error is ours.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ooc {

class ChildProcess {
 public:
  /// Throws nothing: `error()` says why it could not be started.
  ChildProcess(const std::string& program, const std::vector<std::string>& arguments);
  ~ChildProcess();  ///< closes its input, waits a moment, then kills it
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] const std::string& error() const { return error_; }

  struct Line {
    std::string text;  ///< without its end
  };
  struct Ended {
    std::string how;  ///< "ended with exit code 3", "was killed by signal 9"
    int exit_code = -1;
  };
  struct Silent {};  ///< the limit passed
  struct Stopped {};
  using Read = std::variant<Line, Ended, Silent, Stopped>;

  [[nodiscard]] Read read_line(int limit_ms, const std::function<bool()>& stop);
  /// kNobodyReads: the child has closed its input; kSilent: it took nothing for that long.
  enum class Wrote { kAll, kNobodyReads, kSilent, kStopped };
  /// What the child says in the meantime is kept: it may be unable to read before that is taken.
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

}  // namespace ooc
