// Owners of what CUDA hands out: streams, events, buffers, gates. Made in a constructor, given back in the
// destructor, never copied.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "calibrate/bench/cuda_layer.hpp"

namespace ooc::bench {

class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t get() const { return stream_; }
  void wait() const;  // until it is empty

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event();
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  cudaEvent_t get() const { return event_; }
  void record(const Stream& stream) const;

 private:
  cudaEvent_t event_ = nullptr;
};

// Many events. On a device that has failed for good it says so once, not once an event.
class Events {
 public:
  explicit Events(std::size_t count);
  ~Events();
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  cudaEvent_t get(std::size_t index) const { return events_[index]; }
  void record(std::size_t index, const Stream& stream) const;

 private:
  void destroy() noexcept;
  std::vector<cudaEvent_t> events_;
};

// Both must have happened.
double elapsed_ns(const Event& start, const Event& stop);
double elapsed_ns(cudaEvent_t start, cudaEvent_t stop);

// Holds back the streams it stands on until it is opened. Opened at the latest by the destructor: an error
// while work is being queued must not leave the device waiting.
class Gate {
 public:
  Gate();
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  void shut();  // what stood behind it before must be over
  void stand_on(const Stream& stream) const;
  void open();

 private:
  unsigned* flag_ = nullptr;
  unsigned* device_flag_ = nullptr;
};

enum class Place { kNear, kPinned, kPageable, kManaged };

// Memory of one kind. Host memory is bound to `node` (best effort), and all of its pages are there.
class Buffer {
 public:
  Buffer(Place place, std::size_t bytes, std::optional<int> node);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  void* get() const { return memory_; }
  std::size_t bytes() const { return bytes_; }

 private:
  Place place_;
  std::size_t bytes_;
  void* memory_ = nullptr;
};

// Refuses what does not fit, before anything is allocated: throws RequestError. Near memory must keep
// 64 MiB free, managed memory stays below half of the free near memory, host memory below half of what is available.
void require_room(Place place, std::size_t bytes);

}  // namespace ooc::bench
