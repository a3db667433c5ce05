// Managed memory: pages moved by faults (a kernel, or the host, that touches them) and by prefetches. Each
// repetition first moves the pages back by a prefetch outside the interval. Managed memory is kept below
// half of the free near memory (require_room): this measures moving, not thrashing.
#include <cstdint>
#include <string>

#include "calibrate/bench/check.hpp"
#include "calibrate/bench/kernels.hpp"
#include "calibrate/bench/measurements.hpp"
#include "calibrate/bench/platform.hpp"
#include "calibrate/bench/timing.hpp"

namespace ooc::bench {
namespace {

constexpr std::uint64_t kSeed = 3;

// CUDA 13 has the signature with a location; CUDA 12 the one with a device number, -1 for the host.
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

class Managed {
 public:
  explicit Managed(Job& job)
      : job_(job),
        bytes_(job.bytes()),
        memory_(job.managed(bytes_).get()),
        sink_(static_cast<unsigned long long*>(job.near(1, 256).get())) {}

  void move(bool to_near) const {
    queue_prefetch(timer_.stream(), to_near, memory_, bytes_, job_.machine().device);
    timer_.stream().wait();
  }

  // Without a gate: the driver may do part of the work within the call.
  Values prefetch(bool to_near) {
    move(!to_near);
    double issue = 0;
    const double time = timer_.time_ns(false, [&](const Stream& stream) {
      const double before = host_now_ns();
      queue_prefetch(stream, to_near, memory_, bytes_, job_.machine().device);
      issue = host_now_ns() - before;
    });
    return {time, issue};
  }

  Values fault(bool to_near) {
    move(!to_near);
    if (!to_near) return {touch_on_host_ns(memory_, bytes_)};
    return {timer_.time_ns(true, [&](const Stream& stream) {
      OOC_GPU_CHECK(launch_touch(stream.get(), memory_, bytes_, sink_));
    })};
  }

  void fill(bool near) const {
    if (near) {
      fill_near(timer_.stream(), memory_, bytes_, kSeed);
    } else {
      move(false);
      fill_host(memory_, bytes_, kSeed);
    }
  }

  std::uint64_t wrong_words(bool near) const {
    if (near) return wrong_words_near(job_, timer_.stream(), memory_, bytes_, kSeed);
    return wrong_words_host(memory_, bytes_, kSeed);
  }

 private:
  Job& job_;
  std::size_t bytes_;
  void* memory_;
  unsigned long long* sink_;
  Timer timer_;
};

}  // namespace

void measure_unified(Job& job) {
  const bool by_prefetch = job.text("mode") == "unified_prefetch";
  if (!job.machine().managed_prefetch) {
    throw RequestError{"this device cannot move managed memory by page (concurrentManagedAccess)"};
  }
  if (!by_prefetch && job.machine().host_page_tables) {
    throw RequestError{
        "this device reads far memory over its link in place of moving pages (it uses the host's "
        "page "
        "tables): there are no faults to measure"};
  }
  const bool to_near = job.to_near();
  Managed managed(job);
  managed.fill(!to_near);
  if (by_prefetch) {
    job.repeat({{"time", "event"}, {"issue", "host"}}, [&] { return managed.prefetch(to_near); });
  } else {
    job.repeat({{"time", to_near ? "event" : "host"}}, [&] { return managed.fault(to_near); });
  }
  note_link(job);
  require_right(job, managed.wrong_words(to_near));
}

}  // namespace ooc::bench
