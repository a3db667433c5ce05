// A small plan as lines, to be run as it is or after one of its lines has been changed.
#pragma once

#include <string>
#include <vector>

#include "calibrate/gpu/line.hpp"
#include "tests/unit/gpu_child.hpp"

namespace ooc::test {

// Lines of a group without their id.
class PlanText {
 public:
  explicit PlanText(std::vector<std::string> lines) : lines_(std::move(lines)) {}

  // In the line that begins with `line` ("step=3 " is found as "step step=3"), `part` becomes `by`.
  PlanText with(const std::string& line, const std::string& part, const std::string& by) const;
  PlanText without(const std::string& line) const;
  PlanText with_line(const std::string& before, const std::string& line) const;
  // The group, lines ended by '\n' but for the last.
  std::string text(int id = 1) const;

 private:
  std::size_t find(const std::string& line) const;
  std::vector<std::string> lines_;
};

// Tensor 1 (1 MB) is written, copied out, its place given to tensor 3, copied in again and read:
//   step 0  compute  2.0 ms  writes block 0 (tensor 1)
//   step 1  to_far   block 0 -> slot 0                        after 0
//   step 2  compute  0.5 ms  reads block 0, writes block 1 (tensor 2)
//   step 3  compute  0.1 ms  writes block 3 (tensor 3), where block 0 was    after 1
//   step 4  to_near  slot 0 -> block 2 (tensor 1), where block 3 was         after 3
//   step 5  compute  0.3 ms  reads blocks 1 and 2             after 4
//   step 6  compute  0.2 ms  reads block 2
PlanText small_plan();

// A device on which its times are round: copies 5 us and 1 ns a byte, calls that cost nothing, 1 us for
// an empty kernel, nothing that slows anything else.
inline const char* const kRoundDevice =
    "issue_ns=0,launch_ns=1000,to_near_rate=1e9,to_far_rate=1e9,to_near_latency_ns=5000,"
    "to_far_latency_ns=5000,duplex=1,copy_slowdown=1,kernel_slowdown=1";

// Runs it in a child of its own on that device.
std::vector<gpu::Line> run_plan(const PlanText& plan, GpuChild::Environment environment = {});

// The value of `key` in every line with `word`.
std::vector<std::string> values(const std::vector<gpu::Line>& lines, const std::string& word,
                                const std::string& key);

}  // namespace ooc::test
