// One request being answered: reading its keys, keeping its buffers, repeating a measurement until it is
// good enough, and sending its lines.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/gpu/line.hpp"
#include "calibrate/gpu/machine.hpp"
#include "calibrate/gpu/resources.hpp"

namespace ooc::gpu {

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
  Job(const Line& request, const Machine& machine, BufferPool& pool, Output& output);

  const Machine& machine() const { return machine_; }
  std::int64_t id() const { return id_; }

  // Keys of the request; a missing or bad one throws RequestError.
  std::string text(const std::string& key) const;
  std::string text_or(const std::string& key, const std::string& fallback) const;
  std::int64_t integer(const std::string& key) const;
  std::int64_t integer_or(const std::string& key, std::int64_t fallback) const;
  int small_or(const std::string& key, int fallback) const;  // 0 .. 2^20
  double number_or(const std::string& key, double fallback) const;
  std::size_t bytes() const;  // 8 .. 2^42
  bool to_near() const;       // of `direction`
  bool gated() const { return integer_or("gate", 1) != 0; }
  std::optional<int> node() const;

  Buffer& near(int slot, std::size_t bytes);
  Buffer& pinned(int slot, std::size_t bytes);
  Buffer& pageable(int slot, std::size_t bytes);
  Buffer& managed(std::size_t bytes);

  // Warms up, then repeats `once` and sends a sample for each metric and repetition.
  void repeat(const std::vector<Metric>& metrics, const std::function<Values()>& once);
  // Sends one sample.
  void sample(const Metric& metric, double ns);
  // Goes with every sample from now on (the algorithm, say); an earlier value is replaced.
  void set_extra(const std::string& key, const std::string& value);
  void note(const std::string& text);
  // Goes with the `done` line.
  void set_result(const std::string& key, std::int64_t value);
  void finish();

 private:
  void warm_up(const std::function<Values()>& once, double start_ns, double limit_ns);

  const Line& request_;
  const Machine& machine_;
  BufferPool& pool_;
  Output& output_;
  std::int64_t id_;
  std::int64_t samples_ = 0;
  std::int64_t warmup_ = 0;
  bool stable_ = true;
  bool repeated_ = false;
  std::map<std::string, std::string> extra_;
  std::map<std::string, std::int64_t> results_;
};

// The half width of the 95 % interval of the median as a share of it, from the median absolute deviation
// (normal errors assumed; the spread of clean copies is narrower, the deviation ignores the outliers).
double relative_half_width(std::vector<double> values);

}  // namespace ooc::gpu
