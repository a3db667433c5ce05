// Calls, gates and buffers. See device.hpp.
#include "calibrate/bench/device.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>

#include "calibrate/bench/machine.hpp"

namespace ooc::bench {

void check(cudaError_t status, const char* expression, const char* file, int line) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // an error that does not stay must not hit the next call
  std::string call = expression;          // "up ? cudaMemcpyAsync(a, b) : ..."
  call.erase(0, std::min(call.find("cuda"), call.find("launch_")));
  const std::string path = file;
  throw Failure{call.substr(0, call.find('(')) + ": " + cudaGetErrorString(status) + " (" +
                cudaGetErrorName(status) + ", " + path.substr(path.rfind('/') + 1) + ":" +
                std::to_string(line) + ")"};
}

void report(cudaError_t status, const char* expression, const char* file, int line) noexcept {
  static bool said = false;  // a device that has failed for good fails every call
  if (status == cudaSuccess || said) return;
  said = true;
  std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, expression, cudaGetErrorString(status));
}

double elapsed_ns(const Event& start, const Event& stop) {
  float milliseconds = 0;
  OOC_GPU_CHECK(cudaEventElapsedTime(&milliseconds, start.get(), stop.get()));
  return static_cast<double>(milliseconds) * 1e6;
}

Gate::Gate() {
  void* memory = nullptr;
  OOC_GPU_CHECK(cudaHostAlloc(&memory, sizeof(unsigned), cudaHostAllocMapped));
  flag_ = static_cast<unsigned*>(memory);
  open();
  OOC_GPU_CHECK(cudaHostGetDevicePointer(&memory, memory, 0));
  device_flag_ = static_cast<unsigned*>(memory);
}

Gate::~Gate() {
  open();
  OOC_GPU_REPORT(cudaDeviceSynchronize());
  OOC_GPU_REPORT(cudaFreeHost(const_cast<unsigned*>(flag_)));
}

void Gate::hold(std::initializer_list<const Stream*> streams, const std::function<void()>& queue) {
  shut();
  try {
    for (const Stream* stream : streams) stand_on(*stream);
    queue();
  } catch (...) {
    open();  // an error while work is queued must not leave the device waiting
    throw;
  }
  open();
  for (const Stream* stream : streams) stream->wait();
}

double Timer::time_ns(bool gated, const std::function<void(const Stream&)>& work) {
  const auto queue = [&] {
    start_.record(stream_);
    work(stream_);
    stop_.record(stream_);
  };
  if (gated) {
    gate_.hold({&stream_}, queue);
  } else {
    queue();
    stream_.wait();
  }
  return elapsed_ns(start_, stop_);
}

void require_room(Place place, std::size_t bytes) {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  OOC_GPU_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  const auto limit = [bytes](const char* what, std::size_t most) {
    if (bytes <= most) return;
    throw Failure{"needs " + std::to_string(bytes) + " bytes of " + what + ", at most " +
                  std::to_string(most) + " may be taken"};
  };
  const std::size_t reserve = std::size_t{64} << 20;
  if (place == Place::kNear)
    return limit("near memory", free_bytes - std::min(free_bytes, reserve));
  // A device driven to evict managed pages of its own can hang as a whole.
  if (place == Place::kManaged) limit("managed memory", free_bytes / 2);
  limit("host memory", available_host_bytes() / 2);
}

Buffer::Buffer(Place place, std::size_t bytes) : place_(place), bytes_(bytes) {
  require_room(place, bytes);
  if (place == Place::kNear) {
    OOC_GPU_CHECK(cudaMalloc(&memory_, bytes));
  } else if (place == Place::kPinned) {
    OOC_GPU_CHECK(cudaHostAlloc(&memory_, bytes, cudaHostAllocDefault));
  } else if (place == Place::kManaged) {
    OOC_GPU_CHECK(cudaMallocManaged(&memory_, bytes, cudaMemAttachGlobal));
  } else {
    memory_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw Failure{"the host has no memory left"};
  }
  // Pinned pages are there from the beginning; to touch them again takes seconds where there are gigabytes.
  if (place == Place::kPageable || place == Place::kManaged)
    touch_pages(memory_, std::min(bytes, kWholeBytes));
}

Buffer::~Buffer() {
  if (place_ == Place::kPinned) {
    OOC_GPU_REPORT(cudaFreeHost(memory_));
  } else if (place_ == Place::kPageable) {
    munmap(memory_, bytes_);
  } else {
    OOC_GPU_REPORT(cudaFree(memory_));
  }
}

void queue_copy(const Stream& stream, bool to_near, void* near, void* host, std::size_t bytes) {
  OOC_GPU_CHECK(to_near ? cudaMemcpyAsync(near, host, bytes, cudaMemcpyHostToDevice, stream.get())
                        : cudaMemcpyAsync(host, near, bytes, cudaMemcpyDeviceToHost, stream.get()));
}

}  // namespace ooc::bench
