// Answering one request. See job.hpp.
#include "calibrate/bench/job.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <thread>

namespace ooc::bench {
namespace {

constexpr double kWarmUpNs = 200e6;      // at most
constexpr double kWarmUpLeastNs = 10e6;  // a link at a low generation is stable too, for some ms
constexpr std::size_t kWarmUpLast = 5;   // so many repetitions must agree ...
constexpr double kWarmUpSpread = 1.05;   // ... within this ratio
constexpr int kCounterSlot = 15;         // of near buffers: counts wrong words

struct Part {
  std::size_t begin;
  std::size_t bytes;
};

// What of a buffer is filled and compared. Offsets and sizes are whole words.
std::vector<Part> checked_parts(std::size_t bytes) {
  const std::size_t whole = bytes / 8 * 8;
  if (whole <= kWholeBytes) return {{0, whole}};
  return {{0, kWholeBytes / 2}, {whole - kWholeBytes / 2, kWholeBytes / 2}};
}

// Visits the checked words by several threads: a gigabyte of words takes one of them half a second.
template <typename Visit>
std::uint64_t sum_over_words(std::size_t bytes, const Visit& visit) {
  std::uint64_t total = 0;
  for (const Part& part : checked_parts(bytes)) {
    const std::size_t begin = part.begin / 8;
    const std::size_t words = part.bytes / 8;
    const std::size_t threads =
        std::min<std::size_t>({8, host_thread_count(), words / (std::size_t{1} << 18) + 1});
    std::vector<std::uint64_t> sums(threads);
    const auto work = [&](std::size_t t) {
      std::uint64_t sum = 0;
      for (std::size_t i = t * words / threads; i < (t + 1) * words / threads; ++i) {
        sum += visit(begin + i);
      }
      sums[t] = sum;
    };
    std::vector<std::thread> workers;
    for (std::size_t t = 1; t < threads; ++t) workers.emplace_back(work, t);
    work(0);
    for (std::thread& worker : workers) worker.join();
    total = std::accumulate(sums.begin(), sums.end(), total);
  }
  return total;
}

// The half width of the 95 % interval of the median as a share of it, from the median absolute deviation (normal errors
// assumed; the spread of clean copies is narrower, the deviation ignores the outliers).
double relative_half_width(const std::vector<double>& values) {
  const double centre = median_of(values);
  std::vector<double> deviations;
  for (const double value : values) deviations.push_back(std::abs(value - centre));
  const double spread = 1.4826 * median_of(deviations);  // standard deviation of a normal law
  if (centre <= 0) return 0;
  return 1.96 * 1.2533 * spread / std::sqrt(static_cast<double>(values.size())) / centre;
}

}  // namespace

std::string Request::text() const {
  std::string line = what;
  for (const auto& [key, value] : keys) line += " " + key + "=" + value;
  return line;
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string Job::text(const std::string& key) const {
  const auto found = request_.keys.find(key);
  return found == request_.keys.end() ? "" : found->second;
}

std::size_t Job::bytes() const { return std::strtoull(text("bytes").c_str(), nullptr, 10); }

int Job::count(const std::string& key, int otherwise) const {
  const std::string value = text(key);
  return value.empty() ? otherwise : std::atoi(value.c_str());
}

Buffer& Job::buffer(Place place, int slot, std::size_t bytes) {
  std::unique_ptr<Buffer>& kept = pool_[{place, slot}];
  if (kept == nullptr || kept->bytes() < bytes) {
    kept.reset();  // first, so that the room it took is free again
    kept = std::make_unique<Buffer>(place, bytes);
  }
  return *kept;
}

void Job::fill_near(const Stream& stream, void* memory, std::size_t bytes, std::uint64_t seed) {
  for (const Part& part : checked_parts(bytes)) {
    OOC_GPU_CHECK(launch_fill(stream.get(), static_cast<char*>(memory) + part.begin, part.bytes,
                              part.begin / 8, seed));
  }
  stream.wait();
}

void Job::fill_host(void* memory, std::size_t bytes, std::uint64_t seed) {
  auto* words = static_cast<std::uint64_t*>(memory);
  sum_over_words(bytes, [=](std::size_t i) {
    words[i] = pattern_word(i, seed);
    return std::uint64_t{0};
  });
}

std::uint64_t Job::wrong_near(const Stream& stream, const void* memory, std::size_t bytes,
                              std::uint64_t seed) {
  auto* counter = static_cast<unsigned long long*>(near(kCounterSlot, 256));
  OOC_GPU_CHECK(cudaMemsetAsync(counter, 0, sizeof *counter, stream.get()));
  for (const Part& part : checked_parts(bytes)) {
    OOC_GPU_CHECK(launch_check(stream.get(), static_cast<const char*>(memory) + part.begin,
                               part.bytes, part.begin / 8, seed, counter));
  }
  unsigned long long wrong = 0;
  queue_copy(stream, false, counter, &wrong, sizeof wrong);
  stream.wait();
  return wrong;
}

std::uint64_t Job::wrong_host(const void* memory, std::size_t bytes, std::uint64_t seed) {
  const auto* words = static_cast<const std::uint64_t*>(memory);
  return sum_over_words(
      bytes, [=](std::size_t i) { return std::uint64_t{words[i] != pattern_word(i, seed)}; });
}

void Job::require_right(std::uint64_t wrong_words) {
  if (wrong_words != 0) {
    throw Failure{"the copied data are wrong: " + std::to_string(wrong_words) +
                  " words of 8 bytes differ"};
  }
  set_result("verified", 1);
}

void Job::note_link() {
  const PcieLink link = read_pcie_link(machine_.bus_id);
  if (link.generation) set_result("pcie_generation", *link.generation);
  if (link.width) set_result("pcie_width", *link.width);
}

void Job::warm_up(const std::function<Values()>& once, double start_ns, double limit_ns) {
  std::vector<double> last;
  for (;;) {
    last.push_back(once().front());
    ++warmup_;
    if (last.size() > kWarmUpLast) last.erase(last.begin());
    const auto [low, high] = std::minmax_element(last.begin(), last.end());
    const bool agree = *high <= *low * kWarmUpSpread;
    const double elapsed = host_now_ns() - start_ns;
    if (agree && last.size() == kWarmUpLast && elapsed >= kWarmUpLeastNs) return;
    if (elapsed > std::min(kWarmUpNs, limit_ns)) {
      stable_ = stable_ && agree;
      return;
    }
  }
}

void Job::repeat(const std::vector<const char*>& metrics, const std::function<Values()>& once) {
  const Repeats& repeats = request_.repeats;
  const double max_ns = repeats.max_ms * 1e6;
  const double start = host_now_ns();
  warm_up(once, start, max_ns / 4);
  samples_.clear();
  for (const char* metric : metrics) samples_.push_back({metric, {}});
  const std::vector<double>& first = samples_.front().second;
  for (int n = 0; n < repeats.most; ++n) {
    if (n >= 3 && host_now_ns() - start > max_ns) {
      if (n < repeats.least) note("stopped after " + std::to_string(n) + " repetitions: time");
      break;
    }
    if (n >= repeats.least && relative_half_width(first) <= repeats.target) break;
    const Values values = once();
    for (std::size_t i = 0; i < metrics.size(); ++i) samples_[i].second.push_back(values[i]);
  }
}

void Job::note(const std::string& text) {
  output_.send(Record("note").text("request", request_.text()).text("text", text));
}

void Job::finish() {
  for (const auto& [metric, ns] : samples_) {
    output_.send(
        Record("samples").text("request", request_.text()).text("metric", metric).list("ns", ns));
  }
  if (!stable_) note("the warm-up ended before 5 repetitions agreed within 5 %");
  Record done("done");
  done.text("request", request_.text());
  if (!samples_.empty()) done.integer("warmup", warmup_).integer("stable", stable_ ? 1 : 0);
  for (const auto& [key, value] : results_) done.integer(key.c_str(), value);
  output_.send(done);
}

}  // namespace ooc::bench
