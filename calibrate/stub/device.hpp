// The fake device's inside: a clock and in-order queues. API calls put operations on streams at the
// host's present time and cost host time; nothing happens until the host waits for something. Then the
// simulation runs forward, operation by operation, exactly as far as that wait needs. An operation's
// effect on memory happens when its simulated time ends, so a plan that reads too early reads old data.
//
// One copy engine a direction (operations that compete for it take it in the order they became ready); while both
// move data both are slowed by `duplex`; a memory-bound kernel and copies slow each other. Nothing else is shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "calibrate/bench/kernels.hpp"

namespace ooc::bench::stub {

// What the fake device is like and what goes wrong on it, read from environment variables.
//   OOC_STUB                  key=value,...  keys are those of OOC_STUB_SETTINGS
//   OOC_STUB_FAIL=call:n[:code]  the nth call of that name returns this CUDA error (2); codes from 700 on stay
//   OOC_STUB_HANG, OOC_STUB_DIE=call:n  it never returns, it kills the process
//   OOC_STUB_CORRUPT=call:n   a copy or prefetch: one byte arrives wrong
//   OOC_STUB_NAME             the device's name
//
// free: -1: as memory. sleep_ns: that a call really lasts. integrated: its memory is the host's. host_page_tables: it reads
// far memory in place of moving pages. driver: the newest CUDA that it knows; 0: there is none.
// clang-format off
#define OOC_STUB_SETTINGS(X)                                                                      \
  X(devices, 1) X(memory, 8589934592) X(free, -1) X(l2, 4194304) X(multiprocessors, 4)            \
  X(to_near_rate, 25e9) X(to_far_rate, 26e9) X(to_near_latency_ns, 8000) X(to_far_latency_ns, 9000) \
  X(duplex, 0.9) X(pageable_factor, 0.4) X(prefetch_factor, 0.8) X(fault_factor, 0.3)             \
  X(copy_slowdown, 0.9) X(kernel_slowdown, 0.8) X(near_rate, 1e12) X(host_rate, 4e10)             \
  X(issue_ns, 2000) X(launch_ns, 1500) X(sleep_ns, 0) X(noise, 0) X(seed, 1)                      \
  X(concurrent_managed, 1) X(integrated, 0) X(host_page_tables, 0) X(driver, 13000)
// clang-format on

struct Settings {
#define OOC_STUB_MEMBER(name, usual) double name = usual;
  OOC_STUB_SETTINGS(OOC_STUB_MEMBER)
#undef OOC_STUB_MEMBER
};
const Settings& settings();

// What the environment says shall happen at this call of `name`; counts the call.
struct Fault {
  int code = 0;          // the error to return, 0: none
  bool corrupt = false;  // one byte shall arrive wrong
};
Fault next_fault(const std::string& name);

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

  // A factor around 1 as `noise` says.
  double vary();

 private:
  bool run_until(const std::function<bool()>& reached);
  bool step();
  bool start_ready();
  double earliest_start(const Operation& operation) const;
  double speed(const Operation& operation) const;
  bool moving(Work work) const;
  void finish(StubStream* stream);

  Settings settings_;
  double host_ns_ = 0;
  double device_ns_ = 0;
  std::uint64_t random_;
  std::vector<StubStream*> streams_;
  std::map<const volatile unsigned*, double> releases_;  // of gates
};

Device& device();  // the one of the process

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
