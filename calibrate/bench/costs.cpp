// What things cost besides copying: the host's memory, pinning, allocating near memory, launching kernels.
#include <algorithm>
#include <cstring>
#include <string>

#include "calibrate/bench/check.hpp"
#include "calibrate/bench/kernels.hpp"
#include "calibrate/bench/measurements.hpp"
#include "calibrate/bench/platform.hpp"
#include "calibrate/bench/timing.hpp"

namespace ooc::bench {
namespace {

constexpr int kLaunches = 200;     // behind a gate; a launch queue holds about 1000
constexpr double kSpinNs = 50000;  // long enough that the waiting stream really waits

template <typename Call>
double host_ns(const Call& call) {
  const double before = host_now_ns();
  call();
  return host_now_ns() - before;
}

// From the end of a kernel on one stream to the instant a stream that waits for it goes on.
double event_wait_ns(Gate& gate, const Stream& first, const Stream& second, const Event& end,
                     const Event& begin) {
  gate.shut();
  try {
    gate.stand_on(first);
    OOC_GPU_CHECK(launch_spin(first.get(), kSpinNs));
    end.record(first);
    OOC_GPU_CHECK(cudaStreamWaitEvent(second.get(), end.get(), 0));
    begin.record(second);
  } catch (...) {
    gate.open();
    throw;
  }
  gate.open();
  first.wait();
  second.wait();
  return elapsed_ns(end, begin);
}

}  // namespace

void measure_host_memory(Job& job) {
  const std::size_t bytes = job.bytes();
  const auto threads = static_cast<unsigned>(
      std::clamp(job.count("threads", static_cast<int>(host_thread_count())), 1, 1024));
  void* source = job.pageable(0, bytes).get();
  void* target = job.pageable(1, bytes).get();
  fill_host(source, bytes, 6);
  job.set_result("threads", threads);
  job.repeat({{"time", "host"}},
             [&] { return Values{copy_on_host_ns(target, source, bytes, threads)}; });
  require_right(job, wrong_words_host(target, bytes, 6));
}

void measure_pin(Job& job) {
  const std::size_t bytes = job.bytes();
  void* memory = job.pageable(0, bytes).get();
  require_room(Place::kPinned, bytes);
  job.repeat(
      {{"register", "host"}, {"unregister", "host"}, {"allocate", "host"}, {"free", "host"}}, [&] {
        Values values;
        values.push_back(host_ns(
            [&] { OOC_GPU_CHECK(cudaHostRegister(memory, bytes, cudaHostRegisterDefault)); }));
        values.push_back(host_ns([&] { OOC_GPU_CHECK(cudaHostUnregister(memory)); }));
        void* pinned = nullptr;
        values.push_back(
            host_ns([&] { OOC_GPU_CHECK(cudaHostAlloc(&pinned, bytes, cudaHostAllocDefault)); }));
        values.push_back(host_ns([&] { OOC_GPU_CHECK(cudaFreeHost(pinned)); }));
        return values;
      });
}

void measure_device_malloc(Job& job) {
  const std::size_t bytes = job.bytes();
  require_room(Place::kNear, bytes);
  job.repeat({{"allocate", "host"}, {"free", "host"}}, [&] {
    void* memory = nullptr;
    const double allocate = host_ns([&] { OOC_GPU_CHECK(cudaMalloc(&memory, bytes)); });
    const double release = host_ns([&] { OOC_GPU_CHECK(cudaFree(memory)); });
    return Values{allocate, release};
  });
}

void measure_launch(Job& job) {
  Timer timer;
  const Stream second;
  const Event end;
  const Event begin;
  Gate gate;
  job.repeat(
      {{"time", "event"}, {"issue", "host"}, {"round_trip", "host"}, {"event_wait", "event"}}, [&] {
        const double all = timer.time_ns(true, [](const Stream& stream) {
          for (int i = 0; i < kLaunches; ++i) OOC_GPU_CHECK(launch_empty(stream.get()));
        });
        const Stream& stream = timer.stream();
        const double start = host_now_ns();
        OOC_GPU_CHECK(launch_empty(stream.get()));
        const double issued = host_now_ns();
        stream.wait();
        const double ended = host_now_ns();
        return Values{all / kLaunches, issued - start, ended - start,
                      event_wait_ns(gate, stream, second, end, begin)};
      });
}

}  // namespace ooc::bench
