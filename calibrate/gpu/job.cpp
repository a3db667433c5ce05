// Answering one request. See job.hpp; the meaning of the keys is in docs/gpu-protocol.md.
#include "calibrate/gpu/job.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "calibrate/gpu/check.hpp"
#include "calibrate/gpu/platform.hpp"

namespace ooc::gpu {
namespace {

constexpr double kWarmUpNs = 200e6;     // at most
constexpr double kWarmUpLeastMs = 10;   // a link at a low generation is stable too, for some ms
constexpr std::size_t kWarmUpLast = 5;  // so many repetitions must agree ...
constexpr double kWarmUpSpread = 1.05;  // ... within this ratio

double median(std::vector<double>& values) {
  const std::size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle),
                   values.end());
  return values[middle];
}

std::int64_t parse_integer(const std::string& key, const std::string& value) {
  char* end = nullptr;
  const long long parsed = std::strtoll(value.c_str(), &end, 10);
  if (value.empty() || *end != '\0' || value.size() > 18) {
    throw RequestError{"'" + key + "': found '" + value + "', expected an integer"};
  }
  return parsed;
}

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

double relative_half_width(std::vector<double> values) {
  const double centre = median(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::abs(value - centre));
  const double spread = 1.4826 * median(deviations);  // standard deviation of a normal law
  if (centre <= 0) return 0;
  return 1.96 * 1.2533 * spread / std::sqrt(static_cast<double>(values.size())) / centre;
}

Job::Job(const Line& request, const Machine& machine, BufferPool& pool, Output& output)
    : request_(request), machine_(machine), pool_(pool), output_(output), id_(integer("id")) {}

std::string Job::text(const std::string& key) const {
  const std::string* value = request_.find(key);
  if (value == nullptr) throw RequestError{"'" + key + "' is missing"};
  return *value;
}

std::string Job::text_or(const std::string& key, const std::string& fallback) const {
  const std::string* value = request_.find(key);
  return value == nullptr ? fallback : *value;
}

std::int64_t Job::integer(const std::string& key) const { return parse_integer(key, text(key)); }

std::int64_t Job::integer_or(const std::string& key, std::int64_t fallback) const {
  return request_.find(key) == nullptr ? fallback : integer(key);
}

int Job::small_or(const std::string& key, int fallback) const {
  const std::int64_t value = integer_or(key, fallback);
  if (value < 0 || value > (1 << 20)) {
    throw RequestError{"'" + key + "': found " + std::to_string(value) + ", expected 0 to 2^20"};
  }
  return static_cast<int>(value);
}

double Job::number_or(const std::string& key, double fallback) const {
  const std::string* value = request_.find(key);
  if (value == nullptr) return fallback;
  char* end = nullptr;
  const double parsed = std::strtod(value->c_str(), &end);
  if (value->empty() || *end != '\0' || !(parsed >= 0) || parsed > 1e12) {
    throw RequestError{"'" + key + "': found '" + *value + "', expected a number"};
  }
  return parsed;
}

std::size_t Job::bytes() const {
  const std::int64_t value = integer("bytes");
  if (value < 8 || value > (std::int64_t{1} << 42)) {
    throw RequestError{"'bytes': found " + std::to_string(value) + ", expected 8 to 2^42"};
  }
  return static_cast<std::size_t>(value);
}

bool Job::to_near() const {
  const std::string direction = text("direction");
  if (direction != "to_near" && direction != "to_far") {
    throw RequestError{"'direction': found '" + direction + "', expected to_near or to_far"};
  }
  return direction == "to_near";
}

std::optional<int> Job::node() const {
  if (request_.find("numa_node") != nullptr) return small_or("numa_node", 0);
  return machine_.link.numa_node;
}

Buffer& Job::near(int slot, std::size_t bytes) {
  return pool_.get(Place::kNear, slot, bytes, std::nullopt);
}

Buffer& Job::pinned(int slot, std::size_t bytes) {
  Buffer& buffer = pool_.get(Place::kPinned, slot, bytes, node());
  if (const std::optional<int> at = node_of_page(buffer.get())) {
    set_result("buffer_numa_node", *at);
  }
  return buffer;
}

Buffer& Job::pageable(int slot, std::size_t bytes) {
  Buffer& buffer = pool_.get(Place::kPageable, slot, bytes, node());
  if (const std::optional<int> at = node_of_page(buffer.get())) {
    set_result("buffer_numa_node", *at);
  }
  return buffer;
}

Buffer& Job::managed(std::size_t bytes) {
  return pool_.get(Place::kManaged, 0, bytes, std::nullopt);
}

void Job::warm_up(const std::function<Values()>& once, double start_ns, double limit_ns) {
  const double least_ns = number_or("warmup_ms", kWarmUpLeastMs) * 1e6;
  std::vector<double> last;
  for (;;) {
    last.push_back(once().front());
    ++warmup_;
    if (last.size() > kWarmUpLast) last.erase(last.begin());
    const auto [low, high] = std::minmax_element(last.begin(), last.end());
    const bool agree = *high <= *low * kWarmUpSpread;
    const double elapsed = host_now_ns() - start_ns;
    if (agree && last.size() == kWarmUpLast && elapsed >= least_ns) return;
    if (elapsed > std::min(kWarmUpNs, limit_ns)) {
      stable_ = stable_ && agree;
      return;
    }
  }
}

void Job::repeat(const std::vector<Metric>& metrics, const std::function<Values()>& once) {
  const std::int64_t at_least = std::clamp<std::int64_t>(integer_or("repetitions", 11), 1, 100000);
  const std::int64_t at_most = std::max(at_least, integer_or("max_repetitions", at_least));
  const double target = number_or("target_ci", 0.01);
  const double min_ns = number_or("min_ms", 0) * 1e6;
  const double max_ns = number_or("max_ms", 5000) * 1e6;
  repeated_ = true;

  const double start = host_now_ns();
  warm_up(once, start, max_ns / 4);
  std::vector<double> first;
  for (std::int64_t n = 0; n < at_most; ++n) {
    const double elapsed = host_now_ns() - start;
    if (n >= 3 && elapsed > max_ns) {
      if (n < at_least) note("stopped by max_ms after " + std::to_string(n) + " repetitions");
      break;
    }
    const bool precise = n >= at_least && relative_half_width(first) <= target;
    if (precise && elapsed >= min_ns) break;
    const Values values = once();
    for (std::size_t i = 0; i < metrics.size(); ++i) sample(metrics[i], values[i]);
    first.push_back(values.front());
  }
}

void Job::sample(const Metric& metric, double ns) {
  LineBuilder line("sample");
  line.add("id", id_);
  for (const auto& [key, value] : request_.pairs) {
    if (key != "id") line.add(key, value);
  }
  for (const auto& [key, value] : extra_) line.add(key, value);
  line.add("metric", metric.name).add("timer", metric.timer).add_ns("ns", ns);
  output_.send(line);
  ++samples_;
}

void Job::set_extra(const std::string& key, const std::string& value) { extra_[key] = value; }

void Job::note(const std::string& text) {
  output_.send(LineBuilder("note").add("id", id_).add("text", text));
}

void Job::set_result(const std::string& key, std::int64_t value) { results_[key] = value; }

void Job::finish() {
  if (!stable_) note("the warm-up ended before 5 repetitions agreed within 5 %");
  LineBuilder line("done");
  line.add("id", id_).add("samples", samples_);
  if (repeated_) line.add("warmup", warmup_).add("stable", std::int64_t{stable_});
  for (const auto& [key, value] : results_) line.add(key, value);
  output_.send(line);
}

}  // namespace ooc::gpu
