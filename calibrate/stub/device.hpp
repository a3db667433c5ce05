// Stub device: a clock and in-order queues. API calls put operations on streams at the host's
// present time and cost host time. Nothing runs until the host waits; then the simulation runs
// exactly as far as that wait needs. An operation changes memory when its simulated time ends, so a
// plan that reads too early reads old data.
//
// Copies in one direction run one at a time, in the order in which they became ready. `duplex` slows both directions
// while both move data; memory-bound kernels and copies slow each other. Nothing else is shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "calibrate/bench/kernels.hpp"

namespace ooc::bench::stub {

// Settings and faults of the stub device, from environment variables.
//   OOC_STUB                  key=value,...  keys of OOC_STUB_SETTINGS
//   OOC_STUB_FAIL=call:n[:code]  the nth call of that name returns this CUDA error (default 2); from 700 on it persists
//   OOC_STUB_HANG, OOC_STUB_DIE=call:n  the nth call never returns, or kills the process
//   OOC_STUB_CORRUPT=call:n   the nth copy or prefetch delivers one wrong byte
//   OOC_STUB_NAME             name of the device
//
// free: -1: as `memory`. sleep_ns: real duration of a call. integrated: GPU memory is host memory. host_page_tables:
// kernels read host memory directly, no page moves. driver: newest CUDA version supported; 0: no driver.
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

// Fault that the environment asks for at one call. next_fault() counts the calls of `name`; HANG and DIE act there.
struct Fault {
  int code = 0;          // code of the error to return; 0: none
  bool corrupt = false;  // one byte arrives wrong
};
Fault next_fault(const std::string& name);

enum class Work { kInstant, kToNear, kToFar, kKernel, kMemoryKernel, kGate, kWait };

struct Operation {
  Work work = Work::kInstant;
  double issued_ns = 0;
  double latency_ns = 0;                    // ns of a copy or launch before `left` counts down
  double left = 0;                          // bytes to move, or ns of a kernel at full speed
  double rate = 1;                          // amount by which `left` falls per ns
  const volatile unsigned* flag = nullptr;  // kGate: open if not 0
  double opened_ns = -1;        // kGate: instant at which the host opened it; -1: not yet
  CUevent_st* event = nullptr;  // kInstant: recorded; kWait: waited for
  std::uint64_t record = 0;     // index of the record of `event`
  std::function<void()> effect;
  double ready_ns = -1;  // instant at which it became head of its stream; -1: not yet
  bool started = false;
};

}  // namespace ooc::bench::stub

struct CUstream_st {
  std::deque<std::shared_ptr<ooc::bench::stub::Operation>> queue;
};

struct CUevent_st {
  std::uint64_t records = 0;    // records put on streams
  std::uint64_t completed = 0;  // number of the newest record that has happened; 0: none
  double time_ns = 0;           // instant of the newest record that has happened
};

namespace ooc::bench::stub {

class Device {
 public:
  explicit Device(const Settings& settings);

  double host_now_ns() const { return host_ns_; }
  void spend_host_ns(double ns);

  // Puts `operation` on `stream` at the host's present time; costs `issue_ns`. Behind 1,024 others the host waits.
  void push(CUstream_st* stream, Operation operation);
  // run_until_... run the clock until the condition holds (recorded: all records of the event have happened).
  // False if that never happens: all work waits for a gate that only the waiting host could open.
  bool run_until_empty(const CUstream_st* stream);
  bool run_until_recorded(const CUevent_st* event);
  bool run_until_idle();

  void add_stream(CUstream_st* stream) { streams_.push_back(stream); }
  void remove_stream(CUstream_st* stream);

  // Returns a random factor from 1 - noise to 1 + noise.
  double vary();

 private:
  bool run_until(const std::function<bool()>& reached);
  void look_at_gates();
  bool step();
  bool start_ready();
  double earliest_start(const Operation& operation) const;
  double speed(const Operation& operation) const;
  bool moving(Work work) const;
  void finish(CUstream_st* stream);

  Settings settings_;
  double host_ns_ = 0;
  double device_ns_ = 0;
  std::uint64_t random_;
  std::vector<CUstream_st*> streams_;
};

Device& device();  // the process's only one

// Puts a stub kernel on `stream` that takes `ns` at full speed, with `effect` at its end.
cudaError_t launch(cudaStream_t stream, Work work, double ns, std::function<void()> effect);

// Kinds of memory; kUnknown: not allocated here. All are ordinary memory of this process; they differ
// in cost of copies and in what is refused.
enum class Kind { kUnknown, kNear, kPinned, kManaged };

// Returns the kind of the allocation that contains [pointer, pointer + bytes).
Kind kind_of(const void* pointer, std::size_t bytes);

// True if pages of this managed memory are in GPU memory.
bool resident_near(const void* pointer);
void set_resident_near(const void* pointer, bool near);

// Copies only the bytes that verification reads (kWholeBytes in kernels.hpp), so that tests of
// sizes up to 1 GiB are quick. `corrupt`: the middle byte arrives wrong.
void copy_bytes(void* target, const void* source, std::size_t bytes, bool corrupt);

}  // namespace ooc::bench::stub
