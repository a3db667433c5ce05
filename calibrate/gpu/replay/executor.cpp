// One iteration of a plan on streams and events. See replay_executor.hpp.
#include "calibrate/gpu/replay/executor.hpp"

#include <algorithm>

#include "calibrate/gpu/check.hpp"
#include "calibrate/gpu/kernels.hpp"
#include "calibrate/gpu/platform.hpp"
#include "calibrate/gpu/timing.hpp"

namespace ooc::gpu {
namespace {

// Before the first step, so that the first ones are queued when it begins. On an idle device an event is over before the
// host has queued the kernel behind it, and the call that does would be in the step's time.
constexpr double kHeadStartNs = 50e3;

}  // namespace

ReplayExecutor::ReplayExecutor(const ReplayProgram& program)
    : program_(program), starts_(program.steps.size()), ends_(program.steps.size()) {}

ReplayExecutor::~ReplayExecutor() { OOC_GPU_REPORT(cudaDeviceSynchronize()); }

void ReplayExecutor::queue_step(std::size_t number, const StepWork& work) const {
  const ReplayStep& step = program_.steps[number];
  const Stream& own = stream(step.queue);
  for (const std::size_t wait : step.waits) {
    if (program_.steps[wait].queue == step.queue) continue;  // the stream keeps that order itself
    OOC_GPU_CHECK(cudaStreamWaitEvent(own.get(), ends_.get(wait), 0));
  }
  starts_.record(number, own);
  work(number, own.get());
  ends_.record(number, own);
}

ReplayTimes ReplayExecutor::run(const StepWork& work) const {
  ReplayTimes times;
  const double before = host_now_ns();
  OOC_GPU_CHECK(launch_spin(streams_.front().get(), kHeadStartNs));
  start_.record(streams_.front());
  for (std::size_t i = 1; i < streams_.size(); ++i) {
    OOC_GPU_CHECK(cudaStreamWaitEvent(streams_[i].get(), start_.get(), 0));
  }
  for (const std::size_t step : program_.order) queue_step(step, work);
  times.issue_ns = host_now_ns() - before;
  for (const Stream& stream : streams_) stream.wait();
  times.host_ns = host_now_ns() - before;
  read_times(times);
  return times;
}

void ReplayExecutor::read_times(ReplayTimes& times) const {
  for (std::size_t i = 0; i < program_.steps.size(); ++i) {
    times.start.push_back(elapsed_ns(start_.get(), starts_.get(i)));
    times.end.push_back(elapsed_ns(start_.get(), ends_.get(i)));
  }
  const double first = *std::min_element(times.start.begin(), times.start.end());
  for (double& ns : times.start) ns -= first;
  for (double& ns : times.end) ns -= first;
  times.ns = *std::max_element(times.end.begin(), times.end.end());
}

double spin_overhead_ns() {
  constexpr int kWarmUp = 10;
  constexpr int kMeasured = 51;
  Timer timer;
  std::vector<double> times;
  for (int i = 0; i < kWarmUp + kMeasured; ++i) {
    const double ns = timer.time_ns(
        true, [](const Stream& stream) { OOC_GPU_CHECK(launch_spin(stream.get(), 0)); });
    if (i >= kWarmUp) times.push_back(ns);
  }
  std::nth_element(times.begin(), times.begin() + kMeasured / 2, times.end());
  return times[kMeasured / 2];
}

}  // namespace ooc::gpu
