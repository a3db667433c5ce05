// The fake device's inside: a clock and in-order queues. API calls put operations on streams at the
// host's present time and cost host time; nothing happens until the host waits for something. Then the
// simulation runs forward, operation by operation, exactly as far as that wait needs. An operation's
// effect on memory happens when its simulated time ends, so a plan that reads too early reads old data.
//
// One copy engine a direction (operations that compete for it take it in the order they became ready); while both
// move data both are slowed by `duplex`; a memory-bound kernel and copies slow each other. Kernels on
// different streams do not share anything else: two compute-bound kernels at once are each as fast as alone, which
// real devices are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "calibrate/bench/kernels.hpp"
#include "calibrate/stub/settings.hpp"

namespace ooc::bench::stub {

enum class Work { kInstant, kToNear, kToFar, kKernel, kMemoryKernel, kGate, kWait };

struct Operation {
  Work work = Work::kInstant;
  double issued_ns = 0;
  double latency_ns = 0;  // before it moves anything, or all there is of a kernel
  double left = 0;        // bytes still to move, or ns of a kernel still to run at full speed
  double rate = 1;        // of `left`, per ns
  const volatile unsigned* flag = nullptr;  // kGate
  StubEvent* event = nullptr;               // kInstant: recorded; kWait: waited for
  std::uint64_t record = 0;                 // which record of `event` is meant
  std::function<void()> effect;
  double ready_ns = -1;  // when it came to the head of its stream
  bool started = false;
  bool done = false;
};

}  // namespace ooc::bench::stub

struct StubStream {
  std::deque<std::shared_ptr<ooc::bench::stub::Operation>> queue;
};

struct StubEvent {
  bool timed = true;
  std::uint64_t records = 0;    // records put on streams
  std::uint64_t completed = 0;  // the newest record that has happened
  double time_ns = 0;           // when it did
};

namespace ooc::bench::stub {

class Device {
 public:
  explicit Device(const Settings& settings);

  double host_now_ns() const { return host_ns_; }
  void spend_host_ns(double ns);

  // Puts `operation` on `stream` at the host's present time, which costs the host `issue_ns`.
  void push(StubStream* stream, Operation operation);
  // Runs the clock until the stream is empty. False if that never happens: everything stands behind a
  // gate that nobody can open any more, because the host itself is waiting.
  bool run_until_empty(const StubStream* stream);
  bool run_until_recorded(const StubEvent* event);
  bool run_until_idle();

  void add_stream(StubStream* stream) { streams_.push_back(stream); }
  void remove_stream(StubStream* stream);
  double release_time_of(const volatile unsigned* flag) const;
  void note_release(const volatile unsigned* flag);

  // A factor around 1 as `noise` and `outliers` say.
  double vary();

 private:
  bool run_until(const std::function<bool()>& reached);
  bool step();
  bool start_ready();
  bool can_start(const Operation& operation) const;
  double earliest_start(const Operation& operation) const;
  double speed(const Operation& operation) const;
  bool moving(Work work) const;
  void finish(StubStream* stream);

  Settings settings_;
  double host_ns_ = 0;
  double device_ns_ = 0;
  std::uint64_t random_;
  std::vector<StubStream*> streams_;
  struct Release {
    const volatile unsigned* flag;
    double time_ns;
  };
  std::vector<Release> releases_;
};

// The one device of the process; its settings are read from the environment on first use.
Device& device();
const Settings& settings();

// For the stub's kernels: a kernel of `ns` (at full speed) on `stream`; `effect` at its end.
cudaError_t launch(cudaStream_t stream, Work work, double ns, std::function<void()> effect);

// Near, pinned and managed memory are all ordinary memory of this process; what differs is what a copy to or from it
// costs and what is refused.
enum class Kind { kUnknown, kNear, kPinned, kManaged };

// The kind of the allocation that holds all of [pointer, pointer + bytes).
Kind kind_of(const void* pointer, std::size_t bytes);

// Managed memory only: where its pages are.
bool resident_near(const void* pointer);
void set_resident_near(const void* pointer, bool near);

// Copies what the stub copies: what verification looks at (kWholeBytes in pattern.hpp), so that a test over sizes
// up to 1 GiB is quick. `corrupt`: the byte in the middle of what is copied arrives wrong.
void copy_bytes(void* target, const void* source, std::size_t bytes, bool corrupt);

}  // namespace ooc::bench::stub
