// A plan's copies for real, its computing steps as kernels that last as long as predicted: whether the schedule, the
// waits and the link are as the simulation has them. What is copied has no meaning, so no plan needs its
// tensors' addresses: copies walk through one near and one pinned buffer.
#pragma once

#include <istream>

#include "calibrate/bench/job.hpp"

namespace ooc::bench {

enum class StepKind { kSpin, kBusy, kToFar, kToNear };

struct Step {
  StepKind kind = StepKind::kSpin;
  std::int64_t amount = 0;         // ns, or bytes
  std::vector<std::size_t> waits;  // earlier steps of other queues
};

// Steps of one queue (spin and busy; to_far; to_near) run in their order.
struct Plan {
  std::string id;
  int iterations = 20;
  int warmup = 3;
  double max_ms = 30000;
  std::vector<Step> steps;
};

// Plans one after another, each a line `plan id=N steps=M iterations=20 warmup=3 max_ms=30000` and M lines
// `step spin|busy|to_far|to_near AMOUNT WAITS`, WAITS being `-` or `0,3`. Throws std::runtime_error that names the line.
std::vector<std::shared_ptr<const Plan>> read_plans(std::istream& text, const std::string& file);

void measure_replay(Job& job);

}  // namespace ooc::bench
