// One request being answered: reading its keys, keeping its buffers, repeating a measurement until it is
// good enough, and sending its records.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/bench/machine.hpp"
#include "calibrate/bench/records.hpp"
#include "calibrate/bench/requests.hpp"
#include "calibrate/bench/resources.hpp"

namespace ooc::bench {

// Buffers by place and slot, kept from request to request so that they are allocated and touched once.
class BufferPool {
 public:
  Buffer& get(Place place, int slot, std::size_t bytes, std::optional<int> node);
  void clear() { buffers_.clear(); }

 private:
  struct Entry {
    std::optional<int> node;
    std::unique_ptr<Buffer> buffer;
  };
  std::map<std::pair<Place, int>, Entry> buffers_;
};

struct Metric {
  const char* name;
  const char* timer;  // "event" or "host"
};

// What one repetition gives: a value for each metric, in the order of the metrics.
using Values = std::vector<double>;

class Job {
 public:
  Job(const Request& request, const Machine& machine, BufferPool& pool, Output& output)
      : request_(request), machine_(machine), pool_(pool), output_(output) {}

  const Machine& machine() const { return machine_; }
  const Request& request() const { return request_; }
  const Output& output() const { return output_; }
  BufferPool& pool() const { return pool_; }

  std::string text(const std::string& key) const;  // empty: the request has no such key
  std::size_t bytes() const;
  int count(const std::string& key, int otherwise) const;
  bool to_near() const { return text("direction") == "to_near"; }

  Buffer& near(int slot, std::size_t bytes);
  Buffer& pinned(int slot, std::size_t bytes);
  Buffer& pageable(int slot, std::size_t bytes);
  Buffer& managed(std::size_t bytes);

  // Warms up, then repeats `once` and keeps a sample for each metric and repetition.
  void repeat(const std::vector<Metric>& metrics, const std::function<Values()>& once);
  void note(const std::string& text);
  // Goes with the `done` record.
  void set_result(const std::string& key, std::int64_t value) { results_[key] = value; }
  // Sends the samples and `done`.
  void finish();

 private:
  std::optional<int> node() const;
  Buffer& on_host(Place place, int slot, std::size_t bytes);
  void warm_up(const std::function<Values()>& once, double start_ns, double limit_ns);

  const Request& request_;
  const Machine& machine_;
  BufferPool& pool_;
  Output& output_;
  std::vector<std::pair<Metric, std::vector<double>>> samples_;
  std::int64_t warmup_ = 0;
  bool stable_ = true;
  std::map<std::string, std::int64_t> results_;
};

double median_of(std::vector<double> values);

// The half width of the 95 % interval of the median as a share of it, from the median absolute deviation
// (normal errors assumed; the spread of clean copies is narrower, the deviation ignores the outliers).
double relative_half_width(const std::vector<double>& values);

}  // namespace ooc::bench
