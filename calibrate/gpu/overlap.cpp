// Things at once: copies in both directions (duplex), and copies beside kernels (interference). What is timed must
// be overlapped from its first to its last nanosecond, so the timed one stands in the middle of others.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "calibrate/gpu/check.hpp"
#include "calibrate/gpu/kernels.hpp"
#include "calibrate/gpu/measurements.hpp"
#include "calibrate/gpu/timing.hpp"

namespace ooc::gpu {
namespace {

constexpr std::uint64_t kToNearSeed = 4;
constexpr std::uint64_t kToFarSeed = 5;

// A stream with copies in one direction between its own two buffers; the second copy is timed.
struct CopyQueue {
  CopyQueue(Job& job, bool copies_to_near, int slot, std::size_t copy_bytes)
      : to_near(copies_to_near),
        bytes(copy_bytes),
        host(job.pinned(slot, bytes).get()),
        near(job.near(slot, bytes).get()) {}

  void queue(int copies) const {
    for (int i = 0; i < copies; ++i) {
      if (i == 1) before.record(stream);
      queue_copy(stream, to_near, near, host, bytes);
      if (i == 1) after.record(stream);
    }
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
  Load(Job& job, const std::string& kind) : job_(job), compute_(kind == "compute") {
    if (!compute_ && kind != "memory") {
      throw RequestError{"'kernel': found '" + kind + "', expected compute or memory"};
    }
    if (!compute_) {
      // Larger than any cache, so that near memory is what limits it.
      source_ = job.near(2, kTrafficBytes).get();
      target_ = job.near(3, kTrafficBytes).get();
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
          launch_memory(stream.get(), rounds_, multiprocessors, source_, target_, kTrafficBytes));
    }
  }

 private:
  static constexpr std::size_t kTrafficBytes = std::size_t{256} << 20;
  Job& job_;
  bool compute_;
  void* source_ = nullptr;
  void* target_ = nullptr;
  std::int64_t rounds_ = 1;
};

}  // namespace

// Three copies each way behind one gate. The middle one of each is covered by the others as long as the two
// directions differ by less than half.
void measure_duplex(Job& job) {
  if (job.text_or("mode", "pinned") != "pinned") throw RequestError{"duplex needs mode=pinned"};
  const std::size_t bytes = job.bytes();
  const CopyQueue in(job, true, 0, bytes);
  const CopyQueue out(job, false, 1, bytes);
  fill_host(in.host, bytes, kToNearSeed);
  fill_near(job, out.stream, out.near, bytes, kToFarSeed);
  Gate gate;
  job.repeat({{"time_to_near", "event"}, {"time_to_far", "event"}}, [&] {
    queue_behind(gate, {&in.stream, &out.stream}, [&] {
      in.queue(3);
      out.queue(3);
    });
    return Values{elapsed_ns(in.before, in.after), elapsed_ns(out.before, out.after)};
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
                 copies.queue(count);
               });
               return Values{alone, elapsed_ns(copies.before, copies.after), kernel_alone,
                             elapsed_ns(before, after)};
             });
}

}  // namespace ooc::gpu
