// Streams, events, gates and buffers. See resources.hpp.
#include "calibrate/bench/resources.hpp"

#include <sys/mman.h>

#include <string>

#include "calibrate/bench/check.hpp"
#include "calibrate/bench/host.hpp"
#include "calibrate/bench/kernels.hpp"

namespace ooc::bench {

Stream::Stream() { OOC_GPU_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
Stream::~Stream() { OOC_GPU_REPORT(cudaStreamDestroy(stream_)); }
void Stream::wait() const { OOC_GPU_CHECK(cudaStreamSynchronize(stream_)); }

Event::Event() { OOC_GPU_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDefault)); }
Event::~Event() { OOC_GPU_REPORT(cudaEventDestroy(event_)); }
void Event::record(const Stream& stream) const {
  OOC_GPU_CHECK(cudaEventRecord(event_, stream.get()));
}

Events::Events(std::size_t count) {
  events_.reserve(count);
  try {
    while (events_.size() < count) {
      cudaEvent_t event = nullptr;
      OOC_GPU_CHECK(cudaEventCreateWithFlags(&event, cudaEventDefault));
      events_.push_back(event);
    }
  } catch (...) {
    destroy();
    throw;
  }
}

Events::~Events() { destroy(); }

void Events::destroy() noexcept {
  cudaError_t first = cudaSuccess;
  for (const cudaEvent_t event : events_) {
    const cudaError_t status = cudaEventDestroy(event);
    if (first == cudaSuccess) first = status;
  }
  report(first, "cudaEventDestroy", __FILE__, __LINE__);
}

void Events::record(std::size_t index, const Stream& stream) const {
  OOC_GPU_CHECK(cudaEventRecord(events_[index], stream.get()));
}

double elapsed_ns(const Event& start, const Event& stop) {
  return elapsed_ns(start.get(), stop.get());
}

double elapsed_ns(cudaEvent_t start, cudaEvent_t stop) {
  float milliseconds = 0;
  OOC_GPU_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  return static_cast<double>(milliseconds) * 1e6;
}

Gate::Gate() {
  void* memory = nullptr;
  OOC_GPU_CHECK(cudaHostAlloc(&memory, sizeof(unsigned), cudaHostAllocMapped));
  flag_ = static_cast<unsigned*>(memory);
  void* seen_by_device = nullptr;
  OOC_GPU_CHECK(cudaHostGetDevicePointer(&seen_by_device, memory, 0));
  device_flag_ = static_cast<unsigned*>(seen_by_device);
  open_gate(flag_);
}

Gate::~Gate() {
  open_gate(flag_);
  OOC_GPU_REPORT(cudaDeviceSynchronize());
  OOC_GPU_REPORT(cudaFreeHost(flag_));
}

void Gate::shut() { shut_gate(flag_); }
void Gate::stand_on(const Stream& stream) const {
  OOC_GPU_CHECK(launch_gate(stream.get(), device_flag_));
}
void Gate::open() { open_gate(flag_); }

void require_room(Place place, std::size_t bytes) {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  OOC_GPU_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  const std::size_t reserve = std::size_t{64} << 20;
  const auto refuse = [&](const char* what, std::size_t limit) {
    throw RequestError{"needs " + std::to_string(bytes) + " bytes of " + what + ", at most " +
                       std::to_string(limit) + " may be taken"};
  };
  if (place == Place::kNear) {
    const std::size_t limit = free_bytes > reserve ? free_bytes - reserve : 0;
    if (bytes > limit) refuse("near memory", limit);
    return;
  }
  // A device driven to evict managed pages of its own can hang as a whole.
  if (place == Place::kManaged && bytes > free_bytes / 2) refuse("managed memory", free_bytes / 2);
  const std::size_t available = available_host_bytes();
  if (bytes > available / 2) refuse("host memory", available / 2);
}

Buffer::Buffer(Place place, std::size_t bytes, std::optional<int> node)
    : place_(place), bytes_(bytes) {
  require_room(place, bytes);
  const NodeBinding binding(place == Place::kNear ? std::nullopt : node);
  switch (place) {
    case Place::kNear:
      OOC_GPU_CHECK(cudaMalloc(&memory_, bytes));
      break;
    case Place::kPinned:
      OOC_GPU_CHECK(cudaHostAlloc(&memory_, bytes, cudaHostAllocDefault));
      break;
    case Place::kManaged:
      OOC_GPU_CHECK(cudaMallocManaged(&memory_, bytes, cudaMemAttachGlobal));
      break;
    case Place::kPageable:
      memory_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (memory_ == MAP_FAILED) throw RequestError{"the host has no memory left"};
      break;
  }
  // Pinned pages are there from the beginning; to touch them again takes seconds where there are gigabytes.
  if (place == Place::kPageable || place == Place::kManaged) touch_pages(memory_, bytes);
}

Buffer::~Buffer() {
  switch (place_) {
    case Place::kNear:
    case Place::kManaged:
      OOC_GPU_REPORT(cudaFree(memory_));
      break;
    case Place::kPinned:
      OOC_GPU_REPORT(cudaFreeHost(memory_));
      break;
    case Place::kPageable:
      munmap(memory_, bytes_);
      break;
  }
}

}  // namespace ooc::bench
