// What Ctrl-C does. By default the temporary files of unfinished outputs are removed and the
// process ends at once with 130; a command that can keep partial results (sweep) asks to be told
// instead.
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <string>

namespace ooc {

/// Installs the handlers of SIGINT, SIGTERM and SIGHUP and ignores SIGPIPE (writes then fail with EPIPE).
void catch_interrupts();

/// While one lives, the first of these signals only raises interrupted(); a second one,
/// a moment later, ends the process.
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

/// Files to remove when a signal ends the process. Returns none when the table is full or the path
/// too long: then the file is only removed on ordinary errors.
[[nodiscard]] std::optional<std::size_t> remove_on_interrupt(const std::string& path);
void keep_on_interrupt(std::size_t slot);

}  // namespace ooc
