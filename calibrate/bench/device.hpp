// CUDA helpers of all measurements: checked calls, owners of resources, timed intervals.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>

#include "calibrate/bench/kernels.hpp"

namespace ooc::bench {

// Exception that ends a request and becomes its `error` record: failed CUDA call, size that does not fit, wrong data.
struct Failure {
  std::string text;
};

// OOC_GPU_CHECK(cudaFree(p)) throws a Failure with call, status, file and line.
void check(cudaError_t status, const char* expression, const char* file, int line);
// OOC_GPU_REPORT prints the first failure of the process to standard error. For destructors, which cannot throw.
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

double elapsed_ns(const Event& start, const Event& stop);  // precondition: both have happened

// Gate on streams: work that is queued behind the gate waits until the host opens it, 10 s at most.
class Gate : Unique {
 public:
  Gate();
  ~Gate();
  // Puts the shut gate on `streams`, calls `queue`, opens the gate (also if `queue` throws), waits for the streams.
  void hold(std::initializer_list<const Stream*> streams, const std::function<void()>& queue);
  void shut() { *flag_ = 0; }  // earlier work behind the gate must be over
  void stand_on(const Stream& stream) const {
    OOC_GPU_CHECK(launch_gate(stream.get(), device_flag_));
  }
  void open() { *flag_ = 1; }

 private:
  volatile unsigned* flag_ = nullptr;
  unsigned* device_flag_ = nullptr;
};

// Stream whose work is timed by two events.
class Timer {
 public:
  // Returns the time of `work` on the stream. Gated: all is queued before any of it starts, so host
  // time is excluded. Otherwise the interval begins when the host records the first event.
  double time_ns(bool gated, const std::function<void(const Stream&)>& work);
  const Stream& stream() const { return stream_; }

 private:
  Stream stream_;
  Event start_;
  Event stop_;
  Gate gate_;  // last: destroyed first, so the device is idle before the others go
};

enum class Place { kNear, kPinned, kPageable, kManaged };

// Throws Failure for a size that does not fit. GPU memory must keep 64 MiB free; managed memory may take half
// of the free GPU memory; managed, pinned and pageable memory half of the available host memory.
void require_room(Place place, std::size_t bytes);

// Memory of one kind, with its pages present. Host memory lies near the device, where the process runs (open_machine).
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
