// What every measurement needs of CUDA: checked calls, owners of what it hands out, and intervals on the device.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>

#include "calibrate/bench/kernels.hpp"

namespace ooc::bench {

// Ends a request, and becomes its `error` record: a call into CUDA that failed, a size that does not fit, wrong data.
struct Failure {
  std::string text;
};

// OOC_GPU_CHECK(cudaFree(p)) throws a Failure that names call, status, file and line.
void check(cudaError_t status, const char* expression, const char* file, int line);
// In destructors and other places that cannot throw: the first failure goes to standard error.
void report(cudaError_t status, const char* expression, const char* file, int line) noexcept;
#define OOC_GPU_CHECK(call) ::ooc::bench::check((call), #call, __FILE__, __LINE__)
#define OOC_GPU_REPORT(call) ::ooc::bench::report((call), #call, __FILE__, __LINE__)

class Unique {
 public:
  Unique() = default;
  Unique(const Unique&) = delete;
  Unique& operator=(const Unique&) = delete;
};

class Stream : Unique {
 public:
  Stream() { OOC_GPU_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { OOC_GPU_REPORT(cudaStreamDestroy(stream_)); }
  cudaStream_t get() const { return stream_; }
  void wait() const { OOC_GPU_CHECK(cudaStreamSynchronize(stream_)); }  // until it is empty
  void wait_for(cudaEvent_t event) const { OOC_GPU_CHECK(cudaStreamWaitEvent(stream_, event, 0)); }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event : Unique {
 public:
  Event() { OOC_GPU_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDefault)); }
  ~Event() { OOC_GPU_REPORT(cudaEventDestroy(event_)); }
  cudaEvent_t get() const { return event_; }
  void record(const Stream& stream) const { OOC_GPU_CHECK(cudaEventRecord(event_, stream.get())); }

 private:
  cudaEvent_t event_ = nullptr;
};

double elapsed_ns(const Event& start, const Event& stop);  // both must have happened

// Holds back the streams it stands on until it is opened.
class Gate : Unique {
 public:
  Gate();
  ~Gate();
  // Queues work behind the gate on `streams`, opens it whatever happens, and waits for them.
  void hold(std::initializer_list<const Stream*> streams, const std::function<void()>& queue);
  void shut() { shut_gate(flag_); }  // what stood behind it before must be over
  void stand_on(const Stream& stream) const {
    OOC_GPU_CHECK(launch_gate(stream.get(), device_flag_));
  }
  void open() { open_gate(flag_); }

 private:
  unsigned* flag_ = nullptr;
  unsigned* device_flag_ = nullptr;
};

// A stream with two events and a gate in front of them.
class Timer {
 public:
  // The time `work` takes on the stream. With the gate everything is queued before any of it starts, so the host's
  // part is outside; without it the interval begins when the host records the first event.
  double time_ns(bool gated, const std::function<void(const Stream&)>& work);
  const Stream& stream() const { return stream_; }

 private:
  Stream stream_;
  Event start_;
  Event stop_;
  Gate gate_;  // last: opened, and the device idle, before the others go
};

enum class Place { kNear, kPinned, kPageable, kManaged };

// Refuses what does not fit, before anything is allocated: near memory must keep 64 MiB free, managed memory stays below
// half of the free near memory, host memory below half of what is available.
void require_room(Place place, std::size_t bytes);

// Memory of one kind, with all of its pages. The process runs near the device (open_machine), so host memory is, too.
class Buffer : Unique {
 public:
  Buffer(Place place, std::size_t bytes);
  ~Buffer();
  void* get() const { return memory_; }
  std::size_t bytes() const { return bytes_; }

 private:
  Place place_;
  std::size_t bytes_;
  void* memory_ = nullptr;
};

void queue_copy(const Stream& stream, bool to_near, void* near, void* host, std::size_t bytes);

}  // namespace ooc::bench
