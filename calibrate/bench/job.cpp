// Answering one request. See job.hpp.
#include "calibrate/bench/job.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "calibrate/bench/platform.hpp"

namespace ooc::bench {
namespace {

constexpr double kWarmUpNs = 200e6;      // at most
constexpr double kWarmUpLeastNs = 10e6;  // a link at a low generation is stable too, for some ms
constexpr std::size_t kWarmUpLast = 5;   // so many repetitions must agree ...
constexpr double kWarmUpSpread = 1.05;   // ... within this ratio

}  // namespace

Buffer& BufferPool::get(Place place, int slot, std::size_t bytes, std::optional<int> node) {
  Entry& entry = buffers_[{place, slot}];
  if (entry.buffer == nullptr || entry.buffer->bytes() < bytes || entry.node != node) {
    entry.buffer.reset();  // first, so that the room it took is free again
    entry.buffer = std::make_unique<Buffer>(place, bytes, node);
    entry.node = node;
  }
  return *entry.buffer;
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double relative_half_width(const std::vector<double>& values) {
  const double centre = median_of(values);
  std::vector<double> deviations;
  for (const double value : values) deviations.push_back(std::abs(value - centre));
  const double spread = 1.4826 * median_of(deviations);  // standard deviation of a normal law
  if (centre <= 0) return 0;
  return 1.96 * 1.2533 * spread / std::sqrt(static_cast<double>(values.size())) / centre;
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

std::optional<int> Job::node() const {
  const int asked = count("numa_node", -1);
  return asked >= 0 ? std::optional<int>(asked) : machine_.link.numa_node;
}

Buffer& Job::near(int slot, std::size_t bytes) {
  return pool_.get(Place::kNear, slot, bytes, std::nullopt);
}

Buffer& Job::on_host(Place place, int slot, std::size_t bytes) {
  Buffer& buffer = pool_.get(place, slot, bytes, node());
  if (const std::optional<int> at = node_of_page(buffer.get())) {
    set_result("buffer_numa_node", *at);
  }
  return buffer;
}

Buffer& Job::pinned(int slot, std::size_t bytes) { return on_host(Place::kPinned, slot, bytes); }
Buffer& Job::pageable(int slot, std::size_t bytes) {
  return on_host(Place::kPageable, slot, bytes);
}
Buffer& Job::managed(std::size_t bytes) { return on_host(Place::kManaged, 0, bytes); }

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

void Job::repeat(const std::vector<Metric>& metrics, const std::function<Values()>& once) {
  const Repeats& repeats = request_.repeats;
  const double max_ns = repeats.max_ms * 1e6;
  const double start = host_now_ns();
  warm_up(once, start, max_ns / 4);
  samples_.clear();
  for (const Metric& metric : metrics) samples_.push_back({metric, {}});
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
    output_.send(Record("samples")
                     .text("request", request_.text())
                     .text("metric", metric.name)
                     .text("timer", metric.timer)
                     .list("ns", ns));
  }
  if (!stable_) note("the warm-up ended before 5 repetitions agreed within 5 %");
  Record done("done");
  done.text("request", request_.text());
  if (!samples_.empty()) done.integer("warmup", warmup_).integer("stable", stable_ ? 1 : 0);
  for (const auto& [key, value] : results_) done.integer(key.c_str(), value);
  output_.send(done);
}

}  // namespace ooc::bench
