// A signal handler may only touch lock-free atomics and call async-signal-safe functions (unlink,
// _exit), hence the fixed table of paths: the one place in the program with mutable global
// state. setitimer() is not on POSIX's list of them, but a bare system call wherever this runs.
#include "cli/interrupt.hpp"

#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "cli/command.hpp"

namespace ooc {
namespace {

constexpr std::size_t kSlots = 8;
constexpr std::size_t kPathLength = 4096;

struct FileSlot {
  std::atomic<bool> reserved{false};  ///< being filled or in use
  std::atomic<bool> armed{false};     ///< the rest is complete
  std::array<char, kPathLength> path{};
};

std::array<FileSlot, kSlots> unfinished;
std::atomic<int> guards{0};
std::atomic<std::int64_t> first_signal_ms{0};  ///< of a guarded time; 0: none
static_assert(std::atomic<bool>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free);

/// `timeout` and some shells send the same signal to the process and to its group.
constexpr std::int64_t kSameSignalMs = 300;

std::int64_t now_ms() {
  struct timespec now {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000 + 1;
}

/// Of the half second in which an interrupt is to be answered.
constexpr std::int64_t kTimeToFinishMs = 450;

void say(std::string_view text) {
  // There is nobody to tell that it could not be told.
  [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, text.data(), text.size());
}

[[noreturn]] void end_process(int signal_number) {
  for (const FileSlot& slot : unfinished) {
    if (slot.armed.load()) unlink(slot.path.data());
  }
  if (signal_number == SIGALRM) say("ooc-paleo: interrupted\n");
  _exit(signal_number == SIGINT || signal_number == SIGALRM ? kExitInterrupted
                                                            : 128 + signal_number);
}

void on_signal(int signal_number) {
  if (guards.load() > 0) {
    std::int64_t none = 0;
    const std::int64_t now = now_ms();
    if (first_signal_ms.compare_exchange_strong(none, now)) {
      const struct itimerval limit {
        {0, 0}, { 0, kTimeToFinishMs * 1000 }
      };
      setitimer(ITIMER_REAL, &limit, nullptr);
      return;
    }
    if (now - none < kSameSignalMs) return;
  }
  end_process(signal_number);
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = &on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    // A shell starts background jobs with SIGINT ignored, nohup ignores SIGHUP: that is to stay so.
    struct sigaction before {};
    sigaction(signal_number, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal_number, &action, nullptr);
  }
  action.sa_handler = &end_process;  // the time to finish is over
  sigaction(SIGALRM, &action, nullptr);
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, nullptr);
}

InterruptGuard::InterruptGuard() { guards.fetch_add(1); }
InterruptGuard::~InterruptGuard() { guards.fetch_sub(1); }
bool InterruptGuard::interrupted() { return first_signal_ms.load() != 0; }

std::optional<std::size_t> remove_on_interrupt(const std::string& path) {
  if (path.size() >= kPathLength) return std::nullopt;
  for (std::size_t i = 0; i < kSlots; ++i) {
    FileSlot& slot = unfinished[i];
    if (slot.reserved.exchange(true)) continue;
    std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
    slot.armed.store(true);
    return i;
  }
  return std::nullopt;
}

void forget_on_interrupt(std::size_t slot) {
  unfinished[slot].armed.store(false);
  unfinished[slot].reserved.store(false);
}

}  // namespace ooc
