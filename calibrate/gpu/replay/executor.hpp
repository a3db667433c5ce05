// Runs a plan once, as often as wanted: one stream per queue, events for waits, and times of every step.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "calibrate/gpu/replay/program.hpp"
#include "calibrate/gpu/resources.hpp"

namespace ooc::gpu {

// Puts the work of a step on its queue's stream.
using StepWork = std::function<void(std::size_t step, cudaStream_t stream)>;

struct ReplayTimes {
  double ns = 0;              // first start to last end
  double issue_ns = 0;        // host: everything queued
  double host_ns = 0;         // host: everything over
  std::vector<double> start;  // per step, counted from the first start
  std::vector<double> end;
};

class ReplayExecutor {
 public:
  explicit ReplayExecutor(const ReplayProgram& program);
  // What is under way ends before the events, and the memory of the plan, go.
  ~ReplayExecutor();
  ReplayExecutor(const ReplayExecutor&) = delete;
  ReplayExecutor& operator=(const ReplayExecutor&) = delete;

  // One iteration, from an idle device to an idle device. Everything is queued ahead, without a gate: behind a shut
  // gate a launch queue that is full would never take the rest. Only a short kernel stands in front of the first
  // step. So a plan whose steps are shorter than the calls that queue them is measured as what it is,
  // limited by the host.
  ReplayTimes run(const StepWork& work) const;

  const Stream& stream(ReplayQueue queue) const {
    return streams_[static_cast<std::size_t>(queue)];
  }

 private:
  void queue_step(std::size_t step, const StepWork& work) const;
  void read_times(ReplayTimes& times) const;

  const ReplayProgram& program_;
  std::array<Stream, kReplayQueues> streams_;
  Event start_;  // from which all streams go
  // Used again in every iteration: a wait means the record before it in queueing order.
  Events starts_;
  Events ends_;
};

// What spinning for no time takes between two events: the median of some, with an idle host.
double spin_overhead_ns();

}  // namespace ooc::gpu
