// The host's part with a real device. See platform.hpp.
#include "calibrate/gpu/platform.hpp"

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "calibrate/gpu/check.hpp"
#include "calibrate/gpu/kernels.hpp"
#include "calibrate/gpu/resources.hpp"

namespace ooc::gpu {
namespace {

constexpr std::size_t kTiny = 4096;

void load_copies(const Stream& stream, void* near, void* other_near) {
  const Buffer host(Place::kPinned, kTiny, std::nullopt);
  const cudaStream_t s = stream.get();
  OOC_GPU_CHECK(cudaMemsetAsync(near, 0, kTiny, s));
  OOC_GPU_CHECK(cudaMemcpyAsync(near, host.get(), kTiny, cudaMemcpyHostToDevice, s));
  OOC_GPU_CHECK(cudaMemcpyAsync(host.get(), near, kTiny, cudaMemcpyDeviceToHost, s));
  OOC_GPU_CHECK(cudaMemcpyAsync(other_near, near, kTiny, cudaMemcpyDeviceToDevice, s));
  stream.wait();
}

void load_kernels(const Stream& stream, void* near, void* other_near, int multiprocessors) {
  const cudaStream_t s = stream.get();
  auto* count = static_cast<unsigned long long*>(other_near);
  OOC_GPU_CHECK(launch_empty(s));
  OOC_GPU_CHECK(launch_spin(s, 1));
  OOC_GPU_CHECK(launch_compute(s, 1, multiprocessors, static_cast<float*>(near)));
  OOC_GPU_CHECK(launch_memory(s, 1, multiprocessors, near, other_near, kTiny));
  OOC_GPU_CHECK(launch_fill(s, near, kTiny, 0, 1));
  OOC_GPU_CHECK(launch_check(s, near, kTiny, 0, 1, count));
  OOC_GPU_CHECK(launch_hash(s, near, kTiny, count));
  OOC_GPU_CHECK(launch_touch(s, near, kTiny, count));
  for (const Element element : {Element::kFloat32, Element::kFloat16, Element::kBfloat16}) {
    OOC_GPU_CHECK(launch_uniform(s, element, near, kTiny / 4));
  }
  stream.wait();
}

void load_layers(const Stream& stream, float* x, float* y) {
  const cudaStream_t s = stream.get();
  const Image image{1, 2, 4, 4};
  const Window window{3, 2, 1};
  float* z = y + 256;
  OOC_GPU_CHECK(launch_relu(s, x, y, 32));
  OOC_GPU_CHECK(launch_relu_backward(s, x, y, z, 32));
  OOC_GPU_CHECK(launch_add(s, x, y, z, 32));
  OOC_GPU_CHECK(launch_batch_norm(s, image, x, y, y + 512));
  OOC_GPU_CHECK(launch_batch_norm_backward(s, image, x, y, z, y + 512));
  OOC_GPU_CHECK(launch_max_pool(s, image, window, x, y));
  OOC_GPU_CHECK(launch_max_pool_backward(s, image, window, x, y, z));
  stream.wait();
}

}  // namespace

void load_everything(int multiprocessors) {
  const Stream stream;
  const Buffer first(Place::kNear, kTiny, std::nullopt);
  const Buffer second(Place::kNear, kTiny, std::nullopt);
  load_copies(stream, first.get(), second.get());
  load_kernels(stream, first.get(), second.get(), multiprocessors);
  load_layers(stream, static_cast<float*>(first.get()), static_cast<float*>(second.get()));
  Gate gate;  // open, so that its kernel is loaded and ends at once
  gate.stand_on(stream);
  stream.wait();
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

}  // namespace ooc::gpu
