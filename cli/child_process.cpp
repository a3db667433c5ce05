// posix_spawn and poll.
#include "cli/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "cli/interrupt.hpp"

extern char** environ;

namespace ooc {
namespace {

constexpr int kPollMs = 50;
constexpr int kGraceMs = 500;

std::int64_t clock_ms() {
  struct timespec now {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

/// Ends with its owner.
struct Child {
  Child() = default;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    kill();
    if (output >= 0) close(output);
  }
  /// Its whole group: what it started (a wrapper's real program, say) must not keep the device.
  void kill() {
    if (pid < 0) return;
    ::kill(-pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    pid = -1;
  }

  pid_t pid = -1;
  int output = -1;
};

/// Returns 0, or why it could not be started.
int start(const std::string& program, const std::vector<std::string>& arguments, Child& child) {
  std::array<int, 2> output{-1, -1};
  if (pipe2(output.data(), O_CLOEXEC) != 0) return errno;
  child.output = output[0];
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setpgroup(&attributes, 0);
  // What we ignore or catch is the child's to decide again.
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int number : {SIGPIPE, SIGINT, SIGTERM}) sigaddset(&defaults, number);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);

  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t pid = -1;
  const int failed =
      posix_spawn(&pid, program.c_str(), &actions, &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(output[1]);
  if (failed == 0) child.pid = pid;
  return failed;
}

ChildEnd wait_for_end(Child& child) {
  int status = 0;
  const std::int64_t until = clock_ms() + kGraceMs;
  while (waitpid(child.pid, &status, WNOHANG) != child.pid) {
    if (clock_ms() > until) return {"closed its output without ending"};
    usleep(5'000);
  }
  child.pid = -1;
  if (WIFSIGNALED(status)) return {"was killed by signal " + std::to_string(WTERMSIG(status))};
  const int code = WEXITSTATUS(status);
  return {"ended with exit code " + std::to_string(code), code};
}

}  // namespace

std::optional<ChildEnd> run_child(const std::string& program,
                                  const std::vector<std::string>& arguments, int silence_ms,
                                  const std::function<void(const std::string& line)>& take) {
  Child child;
  if (const int failed = start(program, arguments, child); failed != 0) {
    return ChildEnd{"cannot be started: " + std::generic_category().message(failed)};
  }
  std::string pending;
  for (std::int64_t heard = clock_ms();;) {
    if (InterruptGuard::interrupted()) return std::nullopt;
    struct pollfd wait {
      child.output, POLLIN, 0
    };
    if (poll(&wait, 1, kPollMs) <= 0) {
      if (clock_ms() < heard + silence_ms) continue;
      return ChildEnd{fmt::format("said nothing for {} s", silence_ms / 1000.0)};
    }
    std::array<char, 65536> bytes{};
    const ssize_t count = read(child.output, bytes.data(), bytes.size());
    if (count == 0 || (count < 0 && errno != EINTR)) return wait_for_end(child);
    if (count < 0) continue;
    pending.append(bytes.data(), static_cast<std::size_t>(count));
    for (std::size_t end; (end = pending.find('\n')) != std::string::npos; heard = clock_ms()) {
      take(pending.substr(0, end + 1));
      pending.erase(0, end + 1);
    }
  }
}

bool can_run(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

std::vector<std::string> places_on_path(std::string_view name) {
  std::vector<std::string> places;
  const char* path = std::getenv("PATH");
  std::string_view rest(path == nullptr ? "" : path);
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    if (!folder.empty()) places.push_back((std::filesystem::path(folder) / name).string());
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
  }
  return places;
}

}  // namespace ooc
