// Starts the measuring program on the stub device as a child, as the main program does, and speaks lines
// to it.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/gpu/line.hpp"

namespace ooc::test {

class GpuChild {
 public:
  using Environment = std::map<std::string, std::string>;
  explicit GpuChild(const Environment& environment = {},
                    const std::vector<std::string>& arguments = {});
  ~GpuChild();
  GpuChild(const GpuChild&) = delete;
  GpuChild& operator=(const GpuChild&) = delete;

  void send(const std::string& line) const;
  // The next line; none at the end of the child's output or after `timeout_ms`.
  std::optional<std::string> read_line(int timeout_ms = 20000);
  // Takes the greeting, sends a request and reads up to and including its done or error line. Fails the
  // test if a line is none of the protocol.
  std::vector<gpu::Line> ask(const std::string& request);
  // Closes the child's input and waits: its exit code, or 128 + the signal that ended it.
  int finish();

 private:
  bool greeted_ = false;
  pid_t pid_ = -1;
  int to_child_ = -1;
  int from_child_ = -1;
  std::string pending_;
};

// ns of all samples of `metric`.
std::vector<double> times(const std::vector<gpu::Line>& lines, const std::string& metric);
// A key of the last line.
std::string last(const std::vector<gpu::Line>& lines, const std::string& key);

}  // namespace ooc::test
