// Handling of Ctrl-C. By default unfinished outputs are removed and the process exits at once with
// 130. Commands with partial results to save (sweep, calibrate) are notified instead, and have
// kTimeToFinish.
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <string>

namespace ooc {

/// Handles SIGINT, SIGTERM and SIGHUP, and ignores SIGPIPE, so that writes fail with EPIPE.
void catch_interrupts();

/// While an object lives, the first of these signals only sets interrupted(). A second signal a
/// moment later, or the end of kTimeToFinish, ends the process in any case.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  [[nodiscard]] static bool interrupted();
};

/// Thrown by a command that has saved its partial results.
struct Interrupted : std::exception {};

/// Registers a file that does not have its final name yet: a signal that ends the process removes
/// it. Unset: table full or path too long, so only ordinary errors remove it.
[[nodiscard]] std::optional<std::size_t> remove_on_interrupt(const std::string& path);
void forget_on_interrupt(std::size_t slot);

}  // namespace ooc
