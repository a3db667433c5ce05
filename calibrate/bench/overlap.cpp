// Things at once: copies in both directions (duplex), and copies beside kernels (interference). What is timed must
// be overlapped from its first to its last nanosecond, so the timed one stands in the middle of others.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/bench/check.hpp"
#include "calibrate/bench/kernels.hpp"
#include "calibrate/bench/measurements.hpp"
#include "calibrate/bench/platform.hpp"
#include "calibrate/bench/timing.hpp"

namespace ooc::bench {
namespace {

constexpr std::uint64_t kToNearSeed = 4;
constexpr std::uint64_t kToFarSeed = 5;

// A stream with copies in one direction between its own two buffers.
struct CopyQueue {
  CopyQueue(Job& job, bool copies_to_near, int slot, std::size_t copy_bytes)
      : to_near(copies_to_near),
        bytes(copy_bytes),
        host(job.pinned(slot, bytes).get()),
        near(job.near(slot, bytes).get()) {}

  void queue(int copies) const {
    for (int i = 0; i < copies; ++i) queue_copy(stream, to_near, near, host, bytes);
  }

  // Of `copies` the second is timed.
  void queue_second_timed(int copies) const {
    queue(1);
    before.record(stream);
    queue(1);
    after.record(stream);
    queue(copies - 2);
  }

  bool to_near;
  std::size_t bytes;
  void* host;
  void* near;
  Stream stream;
  Event before;
  Event after;
};

// Opens the gate whatever happens while work is queued behind it.
template <typename Queue>
void queue_behind(Gate& gate, const std::vector<const Stream*>& streams, const Queue& queue) {
  gate.shut();
  try {
    for (const Stream* stream : streams) gate.stand_on(*stream);
    queue();
  } catch (...) {
    gate.open();
    throw;
  }
  gate.open();
  for (const Stream* stream : streams) stream->wait();
}

// A kernel of a length that can be chosen, compute-bound or memory-bound.
class Load {
 public:
  Load(Job& job, const std::string& kind)
      : job_(job),
        compute_(kind == "compute"),
        traffic_bytes_(std::min(std::size_t{256} << 20, job.machine().free_bytes / 8)) {
    if (!compute_) {
      // Larger than any cache, so that near memory is what limits it.
      source_ = job.near(2, traffic_bytes_).get();
      target_ = job.near(3, traffic_bytes_).get();
    } else {
      target_ = job.near(3, 256).get();
    }
  }

  void choose_length(Timer& timer, double wanted_ns) {
    rounds_ = compute_ ? 16 : 1;
    double ns = 0;
    for (int i = 0; i < 3; ++i) ns = alone_ns(timer);  // the first ones wake the clocks
    rounds_ = std::max<std::int64_t>(
        1, std::llround(std::ceil(static_cast<double>(rounds_) * wanted_ns / std::max(ns, 1.0))));
  }

  double alone_ns(Timer& timer) const {
    return timer.time_ns(true, [this](const Stream& stream) { queue(stream); });
  }

  void queue(const Stream& stream) const {
    const int multiprocessors = job_.machine().multiprocessors;
    if (compute_) {
      OOC_GPU_CHECK(
          launch_compute(stream.get(), rounds_, multiprocessors, static_cast<float*>(target_)));
    } else {
      OOC_GPU_CHECK(
          launch_memory(stream.get(), rounds_, multiprocessors, source_, target_, traffic_bytes_));
    }
  }

 private:
  Job& job_;
  bool compute_;
  std::size_t traffic_bytes_;
  void* source_ = nullptr;
  void* target_ = nullptr;
  std::int64_t rounds_ = 1;
};

}  // namespace

// One copy that is timed, beside copies the other way that begin before it and end after it: as many as last, alone,
// twice as long as it and one more. Each direction is timed so, for one may be much faster than the other.
void measure_duplex(Job& job) {
  const std::size_t bytes = job.bytes();
  const CopyQueue in(job, true, 0, bytes);
  const CopyQueue out(job, false, 1, bytes);
  fill_host(in.host, bytes, kToNearSeed);
  fill_near(out.stream, out.near, bytes, kToFarSeed);
  Timer timer;
  const auto alone_ns = [&](const CopyQueue& copies) {
    const auto once = [&] {
      return timer.time_ns(true, [&](const Stream& stream) {
        queue_copy(stream, copies.to_near, copies.near, copies.host, bytes);
      });
    };
    once();
    return once();
  };
  const double in_ns = alone_ns(in);
  const double out_ns = alone_ns(out);
  Gate gate;
  const auto beside = [&](const CopyQueue& timed, double timed_ns, const CopyQueue& other,
                          double other_ns) {
    const int others = static_cast<int>(std::ceil(2.2 * timed_ns / other_ns)) + 2;
    queue_behind(gate, {&timed.stream, &other.stream}, [&] {
      other.queue_second_timed(2);
      OOC_GPU_CHECK(cudaStreamWaitEvent(timed.stream.get(), other.before.get(), 0));
      timed.before.record(timed.stream);
      timed.queue(1);
      timed.after.record(timed.stream);
      other.queue(others);
    });
    return elapsed_ns(timed.before, timed.after);
  };
  job.repeat({{"time_to_near", "event"}, {"time_to_far", "event"}}, [&] {
    return Values{beside(in, in_ns, out, out_ns), beside(out, out_ns, in, in_ns)};
  });
  note_link(job);
  require_right(job, wrong_words_near(job, in.stream, in.near, bytes, kToNearSeed) +
                         wrong_words_host(out.host, bytes, kToFarSeed));
}

// The kernel lasts three copies, so the second copy runs beside it from start to end; and so many copies
// follow that the kernel is among copies all the time, even when it is slowed down by half.
void measure_interference(Job& job) {
  const bool to_near = job.to_near();
  const CopyQueue copies(job, to_near, 0, job.bytes());
  Load load(job, job.text("kernel"));
  Timer timer;
  const auto copy_alone = [&] {
    return timer.time_ns(true, [&](const Stream& stream) {
      queue_copy(stream, to_near, copies.near, copies.host, copies.bytes);
    });
  };
  double copy_ns = 0;
  for (int i = 0; i < 5; ++i) copy_ns = copy_alone();
  load.choose_length(timer, std::max(3.2 * copy_ns, 100e3));
  const double kernel_ns = load.alone_ns(timer);  // a whole number of rounds, so often longer
  const int count = static_cast<int>(std::min(2 + std::ceil(1.6 * kernel_ns / copy_ns), 400.0));

  const Stream kernel_stream;
  const Event before;
  const Event after;
  Gate gate;
  job.repeat({{"copy_alone", "event"},
              {"copy_overlap", "event"},
              {"kernel_alone", "event"},
              {"kernel_overlap", "event"}},
             [&] {
               const double alone = copy_alone();
               const double kernel_alone = load.alone_ns(timer);
               queue_behind(gate, {&kernel_stream, &copies.stream}, [&] {
                 before.record(kernel_stream);
                 load.queue(kernel_stream);
                 after.record(kernel_stream);
                 copies.queue_second_timed(count);
               });
               return Values{alone, elapsed_ns(copies.before, copies.after), kernel_alone,
                             elapsed_ns(before, after)};
             });
}

// One stream a device, eight copies each behind one gate a device: the rate of the slowest, by device. Where devices
// share a link or the host's memory is too slow for all, this shows it.
void measure_all_devices(Job& job) {
  constexpr int kCopies = 8;
  struct OneDevice {
    OneDevice(int number, std::size_t bytes, std::optional<int> node)
        : near(Place::kNear, bytes, node), host(Place::kPinned, bytes, node), device(number) {}
    Buffer near;
    Buffer host;
    Stream stream;
    Event before;
    Event after;
    Gate gate;
    int device;
  };
  const std::size_t bytes = job.bytes();
  const bool to_near = job.to_near();
  const int own = job.machine().device;
  std::vector<std::unique_ptr<OneDevice>> all;
  for (int i = 0; i < job.machine().devices; ++i) {
    OOC_GPU_CHECK(cudaSetDevice(i));
    load_everything(1);
    all.push_back(std::make_unique<OneDevice>(i, bytes, std::nullopt));
  }
  const auto queue_one = [&](const OneDevice& each, int copies) {
    for (int n = 0; n < copies; ++n) {
      queue_copy(each.stream, to_near, each.near.get(), each.host.get(), bytes);
    }
  };
  job.set_result("devices", job.machine().devices);
  job.repeat({{"time", "event"}}, [&] {
    for (const auto& each : all) {
      OOC_GPU_CHECK(cudaSetDevice(each->device));
      each->gate.shut();
      each->gate.stand_on(each->stream);
      each->before.record(each->stream);
      queue_one(*each, kCopies);
      each->after.record(each->stream);
    }
    for (const auto& each : all) each->gate.open();
    double slowest = 0;
    for (const auto& each : all) {
      OOC_GPU_CHECK(cudaSetDevice(each->device));
      each->stream.wait();
      slowest = std::max(slowest, elapsed_ns(each->before, each->after));
    }
    return Values{slowest / kCopies};
  });
  for (auto& each : all) {
    OOC_GPU_CHECK(cudaSetDevice(each->device));
    each.reset();
  }
  OOC_GPU_CHECK(cudaSetDevice(own));
}

}  // namespace ooc::bench
