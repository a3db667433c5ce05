// What can be measured, one function each. How each is timed, and why, is in docs/calibration.md, "How it is measured".
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include "calibrate/bench/job.hpp"

namespace ooc::bench {
namespace {

constexpr std::uint64_t kSourceSeed = 1;
constexpr std::uint64_t kTargetSeed =
    2;  // what the target holds before, so that "nothing came" is seen
constexpr std::uint64_t kOtherSeed = 3;  // of the other direction

// Copies in one direction between two buffers of a slot, on a stream of their own.
struct Copies {
  Copies(Job& its_job, bool copies_to_near, Place place, int slot)
      : job(its_job),
        to_near(copies_to_near),
        bytes(job.bytes()),
        host(job.buffer(place, slot, bytes).get()),
        near(job.near(slot, bytes)) {}

  void fill(const Stream& on, std::uint64_t seed) const {
    Job::fill_host(host, bytes, to_near ? seed : kTargetSeed);
    Job::fill_near(on, near, bytes, to_near ? kTargetSeed : seed);
  }
  std::uint64_t wrong(std::uint64_t seed) const {
    return to_near ? job.wrong_near(stream, near, bytes, seed) : Job::wrong_host(host, bytes, seed);
  }
  void queue(const Stream& on, int copies) const {
    for (int i = 0; i < copies; ++i) queue_copy(on, to_near, near, host, bytes);
  }
  double alone_ns(Timer& timer) const {
    return timer.time_ns(true, [this](const Stream& on) { queue(on, 1); });
  }
  // Of `copies` the second is timed.
  void queue_second_timed(int copies) const {
    queue(stream, 1);
    queue_timed();
    queue(stream, copies - 2);
  }
  void queue_timed() const {
    before.record(stream);
    queue(stream, 1);
    after.record(stream);
  }

  Job& job;
  bool to_near;
  std::size_t bytes;
  void* host;
  void* near;
  Stream stream;
  Event before;
  Event after;
};

// What a call takes the host.
template <typename Call>
double host_ns(const Call& call) {
  const double before = host_now_ns();
  call();
  return host_now_ns() - before;
}

void measure_host_copy(Job& job, Place place) {
  const Copies copies(job, job.to_near(), place, 0);
  Timer timer;
  copies.fill(timer.stream(), kSourceSeed);
  // Behind a shut gate a pageable copy may wait for ever: its call can need the device to go on.
  const bool gated = place == Place::kPinned;
  job.repeat({"time", "issue"}, [&] {
    double issue = 0;
    const double time = timer.time_ns(
        gated, [&](const Stream& on) { issue = host_ns([&] { copies.queue(on, 1); }); });
    return Values{time, issue};
  });
  job.note_link();
  job.require_right(copies.wrong(kSourceSeed));
}

// As nvbandwidth measures it: copies back to back behind one gate, the time of all by their number.
void measure_sustained(Job& job) {
  const Copies copies(job, job.to_near(), Place::kPinned, 0);
  const int loops = job.count("loops", 16);
  Timer timer;
  copies.fill(timer.stream(), kSourceSeed);
  job.repeat({"time"}, [&] {
    return Values{timer.time_ns(true, [&](const Stream& on) { copies.queue(on, loops); }) / loops};
  });
  job.note_link();
  job.require_right(copies.wrong(kSourceSeed));
}

// CUDA 13 has the signature with a location; before it a device's number, -1 for the host.
void queue_prefetch(const Stream& stream, bool to_near, const void* memory, std::size_t bytes,
                    int device) {
#if CUDART_VERSION >= 13000
  cudaMemLocation location{};
  location.type = to_near ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost;
  location.id = to_near ? device : 0;
  OOC_GPU_CHECK(cudaMemPrefetchAsync(memory, bytes, location, 0, stream.get()));
#else
  OOC_GPU_CHECK(
      cudaMemPrefetchAsync(memory, bytes, to_near ? device : cudaCpuDeviceId, stream.get()));
#endif
}

// Pages moved by prefetches, or by faults: a kernel, or the host, that touches them. Each repetition first moves the pages
// back by a prefetch outside the interval. This measures moving, not thrashing: see require_room.
void measure_unified(Job& job, bool by_prefetch) {
  const Machine& machine = job.machine();
  if (!machine.managed_prefetch) {
    throw Failure{"this device cannot move managed memory by page (concurrentManagedAccess)"};
  }
  if (!by_prefetch && machine.host_page_tables) {
    throw Failure{
        "this device reads far memory over its link in place of moving pages (it uses the host's "
        "page tables): there are no faults to measure"};
  }
  const bool to_near = job.to_near();
  const std::size_t bytes = job.bytes();
  void* memory = job.buffer(Place::kManaged, 0, bytes).get();
  auto* sink = static_cast<unsigned long long*>(job.near(1, 256));
  Timer timer;
  const auto move = [&](bool near) {
    queue_prefetch(timer.stream(), near, memory, bytes, machine.device);
    timer.stream().wait();
  };
  if (to_near) {
    move(false);
    Job::fill_host(memory, bytes, kSourceSeed);
  } else {
    Job::fill_near(timer.stream(), memory, bytes, kSourceSeed);
  }
  if (by_prefetch) {
    job.repeat({"time", "issue"}, [&] {
      move(!to_near);
      double issue = 0;
      // Without a gate: the driver may do part of the work within the call.
      const double time = timer.time_ns(false, [&](const Stream& on) {
        issue = host_ns([&] { queue_prefetch(on, to_near, memory, bytes, machine.device); });
      });
      return Values{time, issue};
    });
  } else {
    job.repeat({"time"}, [&] {
      move(!to_near);
      if (!to_near) return Values{touch_on_host_ns(memory, bytes)};
      return Values{timer.time_ns(true, [&](const Stream& on) {
        OOC_GPU_CHECK(launch_touch(on.get(), memory, bytes, sink));
      })};
    });
  }
  job.note_link();
  job.require_right(to_near ? job.wrong_near(timer.stream(), memory, bytes, kSourceSeed)
                            : Job::wrong_host(memory, bytes, kSourceSeed));
}

void measure_copy(Job& job) {
  const std::string mode = job.text("mode");
  if (mode == "pinned") return measure_host_copy(job, Place::kPinned);
  if (mode == "pageable") return measure_host_copy(job, Place::kPageable);
  measure_unified(job, mode == "unified_prefetch");
}

// Within near memory: a copy, or a kernel that reads one buffer and writes another.
void measure_near(Job& job) {
  const std::size_t bytes = job.bytes();
  void* source = job.near(0, bytes);
  void* target = job.near(1, bytes);
  Timer timer;
  Job::fill_near(timer.stream(), source, bytes, kSourceSeed);
  Job::fill_near(timer.stream(), target, bytes, kTargetSeed);
  job.repeat({"time"}, [&] {
    return Values{timer.time_ns(true, [&](const Stream& on) {
      OOC_GPU_CHECK(
          job.request().what == "near_copy"
              ? cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToDevice, on.get())
              : launch_memory(on.get(), 1, job.machine().multiprocessors, source, target, bytes));
    })};
  });
  if (job.request().what == "near_stream") return;
  job.require_right(job.wrong_near(timer.stream(), target, bytes, kSourceSeed));
}

// One copy that is timed, beside copies the other way that begin before it and end after it: as many as last, alone, twice
// as long as it and two more. Each direction is timed so, for one may be much faster than the other.
void measure_duplex(Job& job) {
  const Copies in(job, true, Place::kPinned, 0);
  const Copies out(job, false, Place::kPinned, 1);
  Job::fill_host(in.host, in.bytes, kSourceSeed);
  Job::fill_near(out.stream, out.near, out.bytes, kOtherSeed);
  Timer timer;
  in.alone_ns(timer);
  const double in_ns = in.alone_ns(timer);
  out.alone_ns(timer);
  const double out_ns = out.alone_ns(timer);
  Gate gate;
  const auto beside = [&](const Copies& timed, double timed_ns, const Copies& other,
                          double other_ns) {
    gate.hold({&timed.stream, &other.stream}, [&] {
      other.queue_second_timed(2);
      timed.stream.wait_for(other.before.get());
      timed.queue_timed();
      other.queue(other.stream, static_cast<int>(std::ceil(2.2 * timed_ns / other_ns)) + 2);
    });
    return elapsed_ns(timed.before, timed.after);
  };
  job.repeat({"time_to_near", "time_to_far"}, [&] {
    return Values{beside(in, in_ns, out, out_ns), beside(out, out_ns, in, in_ns)};
  });
  job.note_link();
  job.require_right(in.wrong(kSourceSeed) + out.wrong(kOtherSeed));
}

// Copies beside a kernel that arithmetic or near memory bounds. The kernel lasts three copies, so that the second copy runs
// beside it from start to end; and so many copies follow that the kernel is among copies all the time, even when it is
// slowed down by half.
void measure_interference(Job& job) {
  const Copies copies(job, job.to_near(), Place::kPinned, 0);
  const bool compute = job.text("kernel") == "compute";
  // Larger than any cache, so that near memory is what limits it.
  const std::size_t traffic = std::min(std::size_t{256} << 20, job.machine().free_bytes / 8);
  void* source = compute ? nullptr : job.near(2, traffic);
  void* target = job.near(3, compute ? 256 : traffic);
  std::int64_t rounds = compute ? 16 : 1;
  const auto queue_kernel = [&](const Stream& on) {
    const int processors = job.machine().multiprocessors;
    OOC_GPU_CHECK(compute
                      ? launch_compute(on.get(), rounds, processors, static_cast<float*>(target))
                      : launch_memory(on.get(), rounds, processors, source, target, traffic));
  };
  Timer timer;
  double copy_ns = 0;
  double kernel_ns = 0;
  for (int i = 0; i < 5; ++i) copy_ns = copies.alone_ns(timer);  // the first ones wake the clocks
  for (int i = 0; i < 3; ++i) kernel_ns = timer.time_ns(true, queue_kernel);
  const double wanted_ns = std::max(3.2 * copy_ns, 100e3);
  rounds = std::max<std::int64_t>(1, std::llround(std::ceil(static_cast<double>(rounds) *
                                                            wanted_ns / std::max(kernel_ns, 1.0))));
  kernel_ns = timer.time_ns(true, queue_kernel);  // a whole number of rounds, so often longer
  const int count = static_cast<int>(std::min(2 + std::ceil(1.6 * kernel_ns / copy_ns), 400.0));

  const Stream kernel_stream;
  const Event before;
  const Event after;
  Gate gate;
  job.repeat({"copy_alone", "copy_overlap", "kernel_alone", "kernel_overlap"}, [&] {
    const double alone = copies.alone_ns(timer);
    const double kernel_alone = timer.time_ns(true, queue_kernel);
    gate.hold({&kernel_stream, &copies.stream}, [&] {
      before.record(kernel_stream);
      queue_kernel(kernel_stream);
      after.record(kernel_stream);
      copies.queue_second_timed(count);
    });
    return Values{alone, elapsed_ns(copies.before, copies.after), kernel_alone,
                  elapsed_ns(before, after)};
  });
}

// One stream a device, eight copies each behind one gate a device: the rate of the slowest, by device. Where devices share
// a link or the host's memory is too slow for all, this shows it.
void measure_all_devices(Job& job) {
  constexpr int kCopies = 8;
  struct Device {
    explicit Device(std::size_t bytes) : near(Place::kNear, bytes), host(Place::kPinned, bytes) {}
    Buffer near;
    Buffer host;
    Stream stream;
    Event before;
    Event after;
    Gate gate;
  };
  std::vector<std::unique_ptr<Device>> all(static_cast<std::size_t>(job.machine().devices));
  const auto on_each = [&](const std::function<void(std::unique_ptr<Device>&)>& work) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      OOC_GPU_CHECK(cudaSetDevice(static_cast<int>(i)));
      work(all[i]);
    }
  };
  on_each([&](auto& each) {
    load_everything(1);
    each = std::make_unique<Device>(job.bytes());
  });
  job.set_result("devices", job.machine().devices);
  job.repeat({"time"}, [&] {
    on_each([&](auto& each) {
      each->gate.shut();
      each->gate.stand_on(each->stream);
      each->before.record(each->stream);
      for (int n = 0; n < kCopies; ++n) {
        queue_copy(each->stream, job.to_near(), each->near.get(), each->host.get(), job.bytes());
      }
      each->after.record(each->stream);
    });
    for (const auto& each : all) each->gate.open();
    double slowest = 0;
    on_each([&](auto& each) {
      each->stream.wait();
      slowest = std::max(slowest, elapsed_ns(each->before, each->after));
    });
    return Values{slowest / kCopies};
  });
  on_each([](auto& each) { each.reset(); });
  OOC_GPU_CHECK(cudaSetDevice(job.machine().device));
}

void measure_host_memory(Job& job) {
  const std::size_t bytes = job.bytes();
  const auto threads = static_cast<unsigned>(
      std::clamp(job.count("threads", static_cast<int>(host_thread_count())), 1, 1024));
  void* source = job.buffer(Place::kPageable, 0, bytes).get();
  void* target = job.buffer(Place::kPageable, 1, bytes).get();
  Job::fill_host(source, bytes, kSourceSeed);
  job.set_result("threads", threads);
  job.repeat({"time"}, [&] { return Values{copy_on_host_ns(target, source, bytes, threads)}; });
  job.require_right(Job::wrong_host(target, bytes, kSourceSeed));
}

void measure_pin(Job& job) {
  const std::size_t bytes = job.bytes();
  void* memory = job.buffer(Place::kPageable, 0, bytes).get();
  require_room(Place::kPinned, bytes);
  void* pinned = nullptr;
  job.repeat({"register", "unregister", "allocate", "free"}, [&] {
    return Values{
        host_ns([&] { OOC_GPU_CHECK(cudaHostRegister(memory, bytes, cudaHostRegisterDefault)); }),
        host_ns([&] { OOC_GPU_CHECK(cudaHostUnregister(memory)); }),
        host_ns([&] { OOC_GPU_CHECK(cudaHostAlloc(&pinned, bytes, cudaHostAllocDefault)); }),
        host_ns([&] { OOC_GPU_CHECK(cudaFreeHost(pinned)); })};
  });
}

void measure_device_malloc(Job& job) {
  const std::size_t bytes = job.bytes();
  require_room(Place::kNear, bytes);
  void* memory = nullptr;
  job.repeat({"allocate", "free"}, [&] {
    return Values{host_ns([&] { OOC_GPU_CHECK(cudaMalloc(&memory, bytes)); }),
                  host_ns([&] { OOC_GPU_CHECK(cudaFree(memory)); })};
  });
}

void measure_launch(Job& job) {
  constexpr int kLaunches = 200;     // behind a gate; a launch queue holds about 1000
  constexpr double kSpinNs = 50000;  // long enough that the waiting stream really waits
  Timer timer;
  const Stream& first = timer.stream();
  const Stream second;
  const Event end;
  const Event begin;
  Gate gate;
  job.repeat({"time", "issue", "round_trip", "event_wait"}, [&] {
    const double all = timer.time_ns(true, [](const Stream& on) {
      for (int i = 0; i < kLaunches; ++i) OOC_GPU_CHECK(launch_empty(on.get()));
    });
    double issue = 0;
    const double round_trip = host_ns([&] {
      issue = host_ns([&] { OOC_GPU_CHECK(launch_empty(first.get())); });
      first.wait();
    });
    // From the end of a kernel on one stream to the instant a stream that waits for it goes on.
    gate.hold({&first}, [&] {
      OOC_GPU_CHECK(launch_spin(first.get(), kSpinNs));
      end.record(first);
      second.wait_for(end.get());
      begin.record(second);
    });
    second.wait();
    return Values{all / kLaunches, issue, round_trip, elapsed_ns(end, begin)};
  });
}

constexpr std::pair<const char*, void (*)(Job&)> kAll[] = {
    {"copy", &measure_copy},
    {"sustained", &measure_sustained},
    {"duplex", &measure_duplex},
    {"interference", &measure_interference},
    {"all_devices", &measure_all_devices},
    {"near_copy", &measure_near},
    {"near_stream", &measure_near},
    {"host_memory", &measure_host_memory},
    {"pin", &measure_pin},
    {"device_malloc", &measure_device_malloc},
    {"launch", &measure_launch},
    {"replay", &measure_replay}};

}  // namespace

void measure(Job& job) {
  for (const auto& [what, run] : kAll) {
    if (job.request().what == what) run(job);
  }
}

}  // namespace ooc::bench
