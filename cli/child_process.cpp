// posix_spawn and poll. The child's input is one end of a socket pair rather than a pipe: send() can
// then say that nobody listens any more instead of raising SIGPIPE.
#include "cli/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>

extern char** environ;

namespace ooc {
namespace {

constexpr int kPollMs = 50;
constexpr int kGraceMs = 500;
/// Nobody waits for what it still does; an interrupt is answered within half a second.
constexpr int kGraceAtTheEndMs = 250;

std::int64_t clock_ms() {
  struct timespec now {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void close_descriptor(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

}  // namespace

ChildProcess::ChildProcess(const std::string& program, const std::vector<std::string>& arguments) {
  std::array<int, 2> input{-1, -1};
  std::array<int, 2> output{-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input.data()) != 0 ||
      pipe2(output.data(), O_CLOEXEC) != 0) {
    error_ = std::generic_category().message(errno);
    return;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input[1], STDIN_FILENO);
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
  pid_t child = -1;
  const int failed =
      posix_spawn(&child, program.c_str(), &actions, &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close_descriptor(input[1]);
  close_descriptor(output[1]);
  input_ = input[0];
  output_ = output[0];
  if (failed != 0) {
    error_ = std::generic_category().message(failed);
    return;
  }
  pid_ = child;
}

ChildProcess::~ChildProcess() {
  close_descriptor(input_);
  if (pid_ >= 0) {
    // At the end of its input it ends by itself; if not, it is in the middle of something.
    for (int waited = 0; waited < kGraceAtTheEndMs && pid_ >= 0; waited += 10) {
      if (waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
      if (pid_ >= 0) usleep(10'000);
    }
    kill();
  }
  close_descriptor(output_);
}

void ChildProcess::kill() {
  if (pid_ < 0) return;
  // Its whole group: what it started (a wrapper's real program, say) must not keep the device.
  ::kill(-pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

ChildProcess::Ended ChildProcess::wait_for_end() {
  if (pid_ < 0) return {"ended", -1};
  int status = 0;
  const std::int64_t until = clock_ms() + kGraceMs;
  while (waitpid(pid_, &status, WNOHANG) != pid_) {
    if (clock_ms() > until) {
      kill();
      return {"closed its output without ending", -1};
    }
    usleep(5'000);
  }
  pid_ = -1;
  if (WIFSIGNALED(status)) {
    return {"was killed by signal " + std::to_string(WTERMSIG(status)), -1};
  }
  const int code = WEXITSTATUS(status);
  return {"ended with exit code " + std::to_string(code), code};
}

ChildProcess::Read ChildProcess::read_line(int limit_ms, const std::function<bool()>& stop) {
  const std::int64_t until = clock_ms() + limit_ms;
  while (true) {
    const std::size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      Line line{buffer_.substr(0, end)};
      buffer_.erase(0, end + 1);
      return line;
    }
    if (at_end_) return wait_for_end();
    if (stop && stop()) return Stopped{};
    struct pollfd wait {
      output_, POLLIN, 0
    };
    const int ready = poll(&wait, 1, kPollMs);
    if (ready <= 0) {
      if (clock_ms() >= until) return Silent{};
      continue;
    }
    take_output();
  }
}

void ChildProcess::take_output() {
  std::array<char, 65536> bytes{};
  const ssize_t count = read(output_, bytes.data(), bytes.size());
  if (count > 0) {
    buffer_.append(bytes.data(), static_cast<std::size_t>(count));
  } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
    at_end_ = true;
  }
}

ChildProcess::Wrote ChildProcess::write(std::string_view text, int limit_ms,
                                        const std::function<bool()>& stop) {
  std::int64_t until = clock_ms() + limit_ms;
  while (!text.empty()) {
    const ssize_t count = send(input_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
      until = clock_ms() + limit_ms;
      continue;
    }
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK) return Wrote::kNobodyReads;
    if (stop && stop()) return Wrote::kStopped;
    if (clock_ms() >= until) return Wrote::kSilent;
    std::array<struct pollfd, 2> wait{{{input_, POLLOUT, 0}, {at_end_ ? -1 : output_, POLLIN, 0}}};
    if (poll(wait.data(), wait.size(), kPollMs) > 0 && wait[1].revents != 0) take_output();
  }
  return Wrote::kAll;
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
