// A child process on two pipes. See gpu_child.hpp.
#include "tests/unit/gpu_child.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace ooc::test {

GpuChild::GpuChild(const Environment& environment, const std::vector<std::string>& arguments) {
  int input[2];
  int output[2];
  REQUIRE(pipe2(input, O_CLOEXEC) == 0);
  REQUIRE(pipe2(output, O_CLOEXEC) == 0);
  std::vector<std::string> words{OOC_GPU_STUB};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  signal(SIGPIPE, SIG_IGN);  // a child that died is seen by what it did not answer
  pid_ = fork();
  REQUIRE(pid_ >= 0);
  if (pid_ == 0) {
    dup2(input[0], 0);
    dup2(output[1], 1);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    execv(pointers[0], pointers.data());
    _exit(127);
  }
  close(input[0]);
  close(output[1]);
  to_child_ = input[1];
  from_child_ = output[0];
}

GpuChild::~GpuChild() {
  if (to_child_ >= 0) close(to_child_);
  close(from_child_);
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
}

void GpuChild::send(const std::string& line) const {
  const std::string text = line + "\n";
  static_cast<void>(!write(to_child_, text.data(), text.size()));
}

std::optional<std::string> GpuChild::read_line(int timeout_ms) {
  for (;;) {
    const std::size_t end = pending_.find('\n');
    if (end != std::string::npos) {
      const std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return line;
    }
    pollfd waiting{from_child_, POLLIN, 0};
    if (poll(&waiting, 1, timeout_ms) <= 0) return std::nullopt;
    char buffer[4096];
    const ssize_t count = read(from_child_, buffer, sizeof buffer);
    if (count <= 0) return std::nullopt;
    pending_.append(buffer, static_cast<std::size_t>(count));
  }
}

std::vector<gpu::Line> GpuChild::ask(const std::string& request) {
  const auto next = [this] {
    const std::optional<std::string> text = read_line();
    REQUIRE(text.has_value());
    const gpu::ParsedLine parsed = gpu::parse_line(text.value_or(""));
    INFO(text.value_or(""));
    REQUIRE(parsed.line.has_value());
    return parsed.line.value_or(gpu::Line{});
  };
  while (!greeted_) greeted_ = next().word == "ready";
  send(request);
  std::vector<gpu::Line> lines;
  do {
    lines.push_back(next());
  } while (lines.back().word != "done" && lines.back().word != "error");
  return lines;
}

int GpuChild::finish() {
  close(to_child_);
  to_child_ = -1;
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::vector<double> times(const std::vector<gpu::Line>& lines, const std::string& metric) {
  std::vector<double> found;
  for (const gpu::Line& line : lines) {
    const std::string* name = line.find("metric");
    const std::string* ns = line.find("ns");
    if (line.word == "sample" && name != nullptr && ns != nullptr && *name == metric) {
      found.push_back(std::strtod(ns->c_str(), nullptr));
    }
  }
  return found;
}

std::string last(const std::vector<gpu::Line>& lines, const std::string& key) {
  const std::string* value = lines.back().find(key);
  return value == nullptr ? "(none)" : *value;
}

}  // namespace ooc::test
