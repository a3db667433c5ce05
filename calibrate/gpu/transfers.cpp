// Copies between near and far memory, and within near memory: pinned (gated), pageable, near to near. How
// each is timed is in docs/gpu-protocol.md, "How it is measured".
#include <cstdint>
#include <string>

#include "calibrate/gpu/check.hpp"
#include "calibrate/gpu/measurements.hpp"
#include "calibrate/gpu/platform.hpp"
#include "calibrate/gpu/timing.hpp"

namespace ooc::gpu {
namespace {

constexpr std::uint64_t kSourceSeed = 1;
constexpr std::uint64_t kTargetSeed =
    2;  // what the target holds before, so that "nothing came" is seen

void measure_host_copy(Job& job, bool pinned) {
  const std::size_t bytes = job.bytes();
  const bool to_near = job.to_near();
  // Behind a closed gate a pageable copy may wait for ever: its call can need the device to go on.
  const bool gated = pinned && job.gated();
  void* host = pinned ? job.pinned(0, bytes).get() : job.pageable(0, bytes).get();
  void* near = job.near(0, bytes).get();

  Timer timer;
  fill_host(host, bytes, to_near ? kSourceSeed : kTargetSeed);
  fill_near(job, timer.stream(), near, bytes, to_near ? kTargetSeed : kSourceSeed);
  job.repeat({{"time", "event"}, {"issue", "host"}}, [&] {
    double issue = 0;
    const double time = timer.time_ns(gated, [&](const Stream& stream) {
      const double before = host_now_ns();
      queue_copy(stream, to_near, near, host, bytes);
      issue = host_now_ns() - before;
    });
    return Values{time, issue};
  });
  note_link(job);
  require_right(job, to_near ? wrong_words_near(job, timer.stream(), near, bytes, kSourceSeed)
                             : wrong_words_host(host, bytes, kSourceSeed));
}

}  // namespace

void measure_copy(Job& job) {
  const std::string mode = job.text("mode");
  if (mode == "unified_fault" || mode == "unified_prefetch") {
    measure_unified(job);
  } else if (mode == "pinned" || mode == "pageable") {
    measure_host_copy(job, mode == "pinned");
  } else {
    throw RequestError{"unknown mode '" + mode +
                       "', known are pinned, pageable, unified_fault, unified_prefetch"};
  }
}

void measure_near_copy(Job& job) {
  const std::size_t bytes = job.bytes();
  void* source = job.near(0, bytes).get();
  void* target = job.near(1, bytes).get();
  Timer timer;
  fill_near(job, timer.stream(), source, bytes, kSourceSeed);
  fill_near(job, timer.stream(), target, bytes, kTargetSeed);
  job.repeat({{"time", "event"}}, [&] {
    return Values{timer.time_ns(job.gated(), [&](const Stream& stream) {
      OOC_GPU_CHECK(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToDevice, stream.get()));
    })};
  });
  require_right(job, wrong_words_near(job, timer.stream(), target, bytes, kSourceSeed));
}

}  // namespace ooc::gpu
