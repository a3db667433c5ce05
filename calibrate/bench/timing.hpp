// Intervals on the device, and buffers whose content can be checked: the two things that every measurement of a
// transfer needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "calibrate/bench/job.hpp"
#include "calibrate/bench/resources.hpp"

namespace ooc::bench {

// A stream with two events and a gate in front of them.
class Timer {
 public:
  // The time `work` takes on the stream. With the gate everything is queued before any of it starts, so the
  // host's part is outside; without it the interval begins when the host records the first event.
  double time_ns(bool gated, const std::function<void(const Stream&)>& work);
  const Stream& stream() const { return stream_; }

 private:
  Stream stream_;
  Event start_;
  Event stop_;
  Gate gate_;  // last: opened, and the device idle, before the others go
};

// Patterns in near (or managed) and host memory, see pattern.hpp.
void fill_near(const Stream& stream, void* memory, std::size_t bytes, std::uint64_t seed);
void fill_host(void* memory, std::size_t bytes, std::uint64_t seed);
std::uint64_t wrong_words_near(Job& job, const Stream& stream, const void* memory,
                               std::size_t bytes, std::uint64_t seed);
std::uint64_t wrong_words_host(const void* memory, std::size_t bytes, std::uint64_t seed);

// Throws RequestError if any word is wrong, else notes the success for the `done` line.
void require_right(Job& job, std::uint64_t wrong_words);

// The state of the link right after copies, while it is awake, for the `done` line.
void note_link(Job& job);

// Queues a copy between near and host memory.
void queue_copy(const Stream& stream, bool to_near, void* near, void* host, std::size_t bytes);

}  // namespace ooc::bench
