// Handling of Ctrl-C. By default unfinished outputs are removed and the process exits at once with
// 130. Commands with partial results to save (sweep, calibrate) are notified instead, and have
// 450 ms.
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <string>

namespace ooc {

/// Handles SIGINT, SIGTERM and SIGHUP unless ignored before; ignores SIGPIPE, so writes fail.
void catch_interrupts();

/// While an object lives, the first SIGINT, SIGTERM or SIGHUP only sets interrupted(). A second
/// one more than 300 ms later ends the process, and so does a timer 450 ms after the first.
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
/// the file. Returns its slot; unset: 8 files are registered, or the path is too long.
[[nodiscard]] std::optional<std::size_t> remove_on_interrupt(const std::string& path);
void forget_on_interrupt(std::size_t slot);  ///< frees the slot: the file stays

}  // namespace ooc
