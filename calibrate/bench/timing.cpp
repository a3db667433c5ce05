// Gated intervals and verified buffers. See timing.hpp.
#include "calibrate/bench/timing.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "calibrate/bench/check.hpp"
#include "calibrate/bench/kernels.hpp"
#include "calibrate/bench/pattern.hpp"

namespace ooc::bench {
namespace {

constexpr int kCounterSlot = 15;  // of near buffers: counts wrong words

struct Part {
  std::size_t begin;
  std::size_t bytes;
};

// What of a buffer is filled and compared: all, or on the fake device both ends. Offsets and sizes are whole words.
std::vector<Part> checked_parts(std::size_t bytes) {
  const std::size_t whole = bytes / 8 * 8;
  if (whole <= kWholeBytes) return {{0, whole}};
  return {{0, kWholeBytes / 2}, {whole - kWholeBytes / 2, kWholeBytes / 2}};
}

}  // namespace

double Timer::time_ns(bool gated, const std::function<void(const Stream&)>& work) {
  if (gated) {
    gate_.shut();
    gate_.stand_on(stream_);
  }
  try {
    start_.record(stream_);
    work(stream_);
    stop_.record(stream_);
  } catch (...) {
    gate_.open();
    throw;
  }
  if (gated) gate_.open();
  stream_.wait();
  return elapsed_ns(start_, stop_);
}

void fill_near(const Stream& stream, void* memory, std::size_t bytes, std::uint64_t seed) {
  for (const Part& part : checked_parts(bytes)) {
    OOC_GPU_CHECK(launch_fill(stream.get(), static_cast<char*>(memory) + part.begin, part.bytes,
                              part.begin / 8, seed));
  }
  stream.wait();
}

// Visits words `begin` to `end` by several threads: a gigabyte of words takes one of them half a second.
template <typename Visit>
std::uint64_t sum_of(std::size_t begin, std::size_t end, const Visit& visit) {
  const std::size_t threads =
      std::min<std::size_t>({8, host_thread_count(), (end - begin) / (std::size_t{1} << 18) + 1});
  std::vector<std::uint64_t> sums(threads);
  const auto part = [&](std::size_t t) {
    const std::size_t share = (end - begin) / threads;
    const std::size_t last = t + 1 == threads ? end : begin + (t + 1) * share;
    std::uint64_t sum = 0;
    for (std::size_t i = begin + t * share; i < last; ++i) sum += visit(i);
    sums[t] = sum;
  };
  std::vector<std::thread> workers;
  for (std::size_t t = 1; t < threads; ++t) workers.emplace_back(part, t);
  part(0);
  for (std::thread& worker : workers) worker.join();
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

void fill_host(void* memory, std::size_t bytes, std::uint64_t seed) {
  auto* words = static_cast<std::uint64_t*>(memory);
  for (const Part& part : checked_parts(bytes)) {
    sum_of(part.begin / 8, (part.begin + part.bytes) / 8, [=](std::size_t i) {
      words[i] = pattern_word(i, seed);
      return std::uint64_t{0};
    });
  }
}

std::uint64_t wrong_words_near(Job& job, const Stream& stream, const void* memory,
                               std::size_t bytes, std::uint64_t seed) {
  auto* counter = static_cast<unsigned long long*>(job.near(kCounterSlot, 256).get());
  OOC_GPU_CHECK(cudaMemsetAsync(counter, 0, sizeof *counter, stream.get()));
  for (const Part& part : checked_parts(bytes)) {
    OOC_GPU_CHECK(launch_check(stream.get(), static_cast<const char*>(memory) + part.begin,
                               part.bytes, part.begin / 8, seed, counter));
  }
  unsigned long long wrong = 0;
  OOC_GPU_CHECK(
      cudaMemcpyAsync(&wrong, counter, sizeof wrong, cudaMemcpyDeviceToHost, stream.get()));
  stream.wait();
  return wrong;
}

std::uint64_t wrong_words_host(const void* memory, std::size_t bytes, std::uint64_t seed) {
  const auto* words = static_cast<const std::uint64_t*>(memory);
  std::uint64_t wrong = 0;
  for (const Part& part : checked_parts(bytes)) {
    wrong += sum_of(part.begin / 8, (part.begin + part.bytes) / 8, [=](std::size_t i) {
      return std::uint64_t{words[i] != pattern_word(i, seed)};
    });
  }
  return wrong;
}

void require_right(Job& job, std::uint64_t wrong_words) {
  if (wrong_words != 0) {
    throw RequestError{"the copied data are wrong: " + std::to_string(wrong_words) +
                       " words of 8 bytes differ"};
  }
  job.set_result("verified", 1);
}

void note_link(Job& job) {
  const PcieLink link = read_pcie_link(job.machine().bus_id);
  if (link.generation) job.set_result("pcie_generation", *link.generation);
  if (link.width) job.set_result("pcie_width", *link.width);
}

void queue_copy(const Stream& stream, bool to_near, void* near, void* host, std::size_t bytes) {
  if (to_near) {
    OOC_GPU_CHECK(cudaMemcpyAsync(near, host, bytes, cudaMemcpyHostToDevice, stream.get()));
  } else {
    OOC_GPU_CHECK(cudaMemcpyAsync(host, near, bytes, cudaMemcpyDeviceToHost, stream.get()));
  }
}

}  // namespace ooc::bench
