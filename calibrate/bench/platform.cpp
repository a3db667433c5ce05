// The host's part with a real device. See kernels.hpp.
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "calibrate/bench/device.hpp"

namespace ooc::bench {

double load_everything(int multiprocessors) {
  constexpr std::size_t kTiny = 4096;
  const Stream stream;
  const Buffer first(Place::kNear, kTiny);
  const Buffer second(Place::kNear, kTiny);
  const Buffer host(Place::kPinned, kTiny);
  const cudaStream_t s = stream.get();
  void* near = first.get();
  void* other = second.get();
  auto* count = static_cast<unsigned long long*>(other);
  OOC_GPU_CHECK(cudaMemsetAsync(near, 0, kTiny, s));
  queue_copy(stream, true, near, host.get(), kTiny);
  OOC_GPU_CHECK(cudaMemcpyAsync(other, near, kTiny, cudaMemcpyDeviceToDevice, s));
  OOC_GPU_CHECK(launch_empty(s));
  OOC_GPU_CHECK(launch_spin(s, 1));
  OOC_GPU_CHECK(launch_compute(s, 1, multiprocessors, static_cast<float*>(near)));
  OOC_GPU_CHECK(launch_memory(s, 1, multiprocessors, near, other, kTiny));
  OOC_GPU_CHECK(launch_fill(s, near, kTiny, 0, 1));
  OOC_GPU_CHECK(launch_check(s, near, kTiny, 0, 1, count));
  OOC_GPU_CHECK(launch_touch(s, near, kTiny, count));
  OOC_GPU_CHECK(launch_busy(s, 1, multiprocessors, near, other, kTiny));
  Gate gate;  // open, so that its kernel is loaded and ends at once
  gate.stand_on(stream);
  OOC_GPU_CHECK(launch_tick(s, count));
  queue_copy(stream, false, other, host.get(), kTiny);
  stream.wait();
  unsigned long long ns = 0;
  std::memcpy(&ns, host.get(), sizeof ns);
  return static_cast<double>(ns);
}

const char* backend_name() { return "cuda"; }

double host_now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

double copy_on_host_ns(void* target, const void* source, std::size_t bytes, unsigned threads) {
  const std::size_t share = bytes / threads / 64 * 64;
  std::atomic<unsigned> ready{0};
  std::atomic<bool> go{false};
  std::vector<std::thread> workers;
  for (unsigned t = 0; t < threads; ++t) {
    const std::size_t begin = t * share;
    const std::size_t count = t + 1 == threads ? bytes - begin : share;
    workers.emplace_back([=, &ready, &go] {
      ++ready;
      while (!go) std::this_thread::yield();
      std::memcpy(static_cast<char*>(target) + begin, static_cast<const char*>(source) + begin,
                  count);
    });
  }
  while (ready < threads) std::this_thread::yield();
  const double start = host_now_ns();
  go = true;
  for (std::thread& worker : workers) worker.join();
  return host_now_ns() - start;
}

double touch_on_host_ns(void* managed, std::size_t bytes) {
  const double start = host_now_ns();
  auto* pages = static_cast<volatile unsigned char*>(managed);
  for (std::size_t i = 0; i < bytes; i += 4096) pages[i] = pages[i];
  return host_now_ns() - start;
}

}  // namespace ooc::bench
