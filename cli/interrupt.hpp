// What Ctrl-C does. By default the unfinished outputs are removed and the process ends at once with
// 130; a command that has partial results to put in order (sweep, calibrate) asks to be told instead,
// and has kTimeToFinish for it.
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <string>

namespace ooc {

/// Installs the handlers of SIGINT, SIGTERM and SIGHUP and ignores SIGPIPE (writes then fail with EPIPE).
void catch_interrupts();

/// While one lives, the first of these signals only raises interrupted(). A second one, a moment later,
/// or the end of the time to finish, ends the process: whatever it waits for.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  [[nodiscard]] static bool interrupted();
};

/// Thrown by a command that has put its partial results in order.
struct Interrupted : std::exception {};

/// A file that has not got its name yet.
struct UnfinishedFile {
  std::string path;
  int descriptor = -1;
};

/// What a signal that ends the process removes. Returns none when the table is full or a path too long: then that is
/// only done on ordinary errors.
[[nodiscard]] std::optional<std::size_t> remove_on_interrupt(const UnfinishedFile& file);
void forget_on_interrupt(std::size_t slot);

}  // namespace ooc
