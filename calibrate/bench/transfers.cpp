// Copies between near and far memory, and within near memory: pinned (gated), pageable, near to near, back to
// back. How each is timed is in docs/calibration.md, "How it is measured".
#include <cstdint>
#include <string>

#include "calibrate/bench/check.hpp"
#include "calibrate/bench/kernels.hpp"
#include "calibrate/bench/measurements.hpp"
#include "calibrate/bench/platform.hpp"
#include "calibrate/bench/timing.hpp"

namespace ooc::bench {
namespace {

constexpr std::uint64_t kSourceSeed = 1;
constexpr std::uint64_t kTargetSeed =
    2;  // what the target holds before, so that "nothing came" is seen

void measure_host_copy(Job& job, bool pinned) {
  const std::size_t bytes = job.bytes();
  const bool to_near = job.to_near();
  // Behind a closed gate a pageable copy may wait for ever: its call can need the device to go on.
  const bool gated = pinned;
  void* host = pinned ? job.pinned(0, bytes).get() : job.pageable(0, bytes).get();
  void* near = job.near(0, bytes).get();

  Timer timer;
  fill_host(host, bytes, to_near ? kSourceSeed : kTargetSeed);
  fill_near(timer.stream(), near, bytes, to_near ? kTargetSeed : kSourceSeed);
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
  if (mode == "pinned" || mode == "pageable") return measure_host_copy(job, mode == "pinned");
  measure_unified(job);
}

// As nvbandwidth measures it: copies back to back behind one gate, the time of all by their number.
void measure_sustained(Job& job) {
  const std::size_t bytes = job.bytes();
  const int loops = job.count("loops", 16);
  const bool to_near = job.to_near();
  void* host = job.pinned(0, bytes).get();
  void* near = job.near(0, bytes).get();
  Timer timer;
  fill_host(host, bytes, to_near ? kSourceSeed : kTargetSeed);
  fill_near(timer.stream(), near, bytes, to_near ? kTargetSeed : kSourceSeed);
  job.repeat({{"time", "event"}}, [&] {
    const double all = timer.time_ns(true, [&](const Stream& stream) {
      for (int i = 0; i < loops; ++i) queue_copy(stream, to_near, near, host, bytes);
    });
    return Values{all / loops};
  });
  note_link(job);
  require_right(job, to_near ? wrong_words_near(job, timer.stream(), near, bytes, kSourceSeed)
                             : wrong_words_host(host, bytes, kSourceSeed));
}

void measure_near_copy(Job& job) {
  const std::size_t bytes = job.bytes();
  void* source = job.near(0, bytes).get();
  void* target = job.near(1, bytes).get();
  Timer timer;
  fill_near(timer.stream(), source, bytes, kSourceSeed);
  fill_near(timer.stream(), target, bytes, kTargetSeed);
  job.repeat({{"time", "event"}}, [&] {
    return Values{timer.time_ns(true, [&](const Stream& stream) {
      OOC_GPU_CHECK(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToDevice, stream.get()));
    })};
  });
  require_right(job, wrong_words_near(job, timer.stream(), target, bytes, kSourceSeed));
}

// A kernel that reads one buffer and writes another.
void measure_near_stream(Job& job) {
  const std::size_t bytes = job.bytes();
  void* source = job.near(0, bytes).get();
  void* target = job.near(1, bytes).get();
  Timer timer;
  job.repeat({{"time", "event"}}, [&] {
    return Values{timer.time_ns(true, [&](const Stream& stream) {
      OOC_GPU_CHECK(
          launch_memory(stream.get(), 1, job.machine().multiprocessors, source, target, bytes));
    })};
  });
}

}  // namespace ooc::bench
