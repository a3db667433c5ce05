// The kernels and the host's part with the fake device: how long each lasts there, and what it does to memory (where
// something else in this program looks at the result). See bench/kernels.hpp.
#include "calibrate/bench/kernels.hpp"

#include <algorithm>
#include <utility>

#include "calibrate/stub/device.hpp"

namespace ooc::bench {
namespace {

using stub::Work;

double traffic_ns(std::size_t bytes, double passes) {
  return static_cast<double>(bytes) * passes / stub::settings().near_rate * 1e9;
}

cudaError_t launch_traffic(cudaStream_t stream, std::size_t bytes, double passes,
                           std::function<void()> effect = {}) {
  const cudaError_t fault = static_cast<cudaError_t>(stub::next_fault("kernel").code);
  if (fault != cudaSuccess) return fault;
  return stub::launch(stream, Work::kMemoryKernel, traffic_ns(bytes, passes), std::move(effect));
}

// As copies do (copy_bytes), these look only at both ends of what is large.
template <typename Visit>
void for_words(std::size_t bytes, const Visit& visit) {
  const std::size_t words = bytes / 8;
  const std::size_t half = kWholeBytes / 2 / 8;
  const std::size_t first_end = bytes <= kWholeBytes ? words : half;
  for (std::size_t i = 0; i < first_end; ++i) visit(i);
  for (std::size_t i = std::max(first_end, words - std::min(words, half)); i < words; ++i) visit(i);
}

}  // namespace

cudaError_t launch_gate(cudaStream_t stream, const volatile unsigned* device_flag) {
  stub::Operation operation;
  operation.work = Work::kGate;
  operation.flag = device_flag;
  stub::device().push(stream, std::move(operation));
  return cudaSuccess;
}

cudaError_t launch_empty(cudaStream_t stream) { return stub::launch(stream, Work::kKernel, 0, {}); }

cudaError_t launch_spin(cudaStream_t stream, double ns) {
  const cudaError_t fault = static_cast<cudaError_t>(stub::next_fault("launch_spin").code);
  if (fault != cudaSuccess) return fault;
  return stub::launch(stream, Work::kKernel, ns, {});
}

cudaError_t launch_compute(cudaStream_t stream, std::int64_t rounds, int, float*) {
  return stub::launch(stream, Work::kKernel, static_cast<double>(rounds) * 1000, {});
}

cudaError_t launch_memory(cudaStream_t stream, std::int64_t rounds, int, const void*, void*,
                          std::size_t bytes) {
  return launch_traffic(stream, bytes, 2 * static_cast<double>(rounds));
}

cudaError_t launch_busy(cudaStream_t stream, double ns, int, const void*, void*, std::size_t) {
  return stub::launch(stream, Work::kMemoryKernel, ns, {});
}

cudaError_t launch_tick(cudaStream_t stream, unsigned long long* tick) {
  return stub::launch(stream, Work::kKernel, 0, [tick] { *tick = 1; });
}

cudaError_t launch_fill(cudaStream_t stream, void* target, std::size_t bytes,
                        std::uint64_t first_word, std::uint64_t seed) {
  return launch_traffic(stream, bytes, 1, [=] {
    stub::set_resident_near(target, true);
    auto* words = static_cast<std::uint64_t*>(target);
    for_words(bytes, [=](std::size_t i) { words[i] = pattern_word(first_word + i, seed); });
  });
}

cudaError_t launch_check(cudaStream_t stream, const void* source, std::size_t bytes,
                         std::uint64_t first_word, std::uint64_t seed,
                         unsigned long long* mismatches) {
  return launch_traffic(stream, bytes, 1, [=] {
    const auto* words = static_cast<const std::uint64_t*>(source);
    for_words(bytes, [=](std::size_t i) {
      if (words[i] != pattern_word(first_word + i, seed)) ++*mismatches;
    });
  });
}

cudaError_t launch_touch(cudaStream_t stream, const void* managed, std::size_t bytes,
                         unsigned long long*) {
  if (stub::resident_near(managed)) return launch_traffic(stream, bytes, 1);
  const stub::Settings& s = stub::settings();
  stub::Operation operation;
  operation.work = Work::kToNear;
  operation.latency_ns = s.launch_ns + s.to_near_latency_ns;
  operation.left = static_cast<double>(bytes);
  operation.rate = s.to_near_rate * s.fault_factor / 1e9 / stub::device().vary();
  operation.effect = [managed] { stub::set_resident_near(managed, true); };
  stub::device().push(stream, std::move(operation));
  return cudaSuccess;
}

const char* backend_name() { return "stub"; }

double host_now_ns() { return stub::device().host_now_ns(); }

double copy_on_host_ns(void* target, const void* source, std::size_t bytes, unsigned) {
  const double ns =
      2 * static_cast<double>(bytes) / stub::settings().host_rate * 1e9 * stub::device().vary();
  stub::copy_bytes(target, source, bytes, false);
  stub::device().spend_host_ns(ns);
  return ns;
}

double touch_on_host_ns(void* managed, std::size_t bytes) {
  const stub::Settings& s = stub::settings();
  const double ns =
      (s.to_far_latency_ns + static_cast<double>(bytes) / (s.to_far_rate * s.fault_factor) * 1e9) *
      stub::device().vary();
  stub::set_resident_near(managed, false);
  stub::device().spend_host_ns(ns);
  return ns;
}

double load_everything(int) { return 1; }

}  // namespace ooc::bench
