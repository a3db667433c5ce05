// Requests and their execution: keys, buffers, repetitions until the result is precise enough, records. The text of a
// request identifies it: "copy bytes=4096 direction=to_near mode=pinned", first the measurement, then keys by name.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/bench/device.hpp"
#include "calibrate/bench/machine.hpp"
#include "calibrate/bench/records.hpp"

namespace ooc::bench {

enum class StepKind { kSpin, kBusy, kToFar, kToNear };

struct Step {
  StepKind kind = StepKind::kSpin;
  std::int64_t amount = 0;         // ns of a spin or busy step, bytes of a copy
  std::vector<std::size_t> waits;  // indices of earlier steps, of any queue
};

// Plan to replay. Steps of one queue (spin and busy; to_far; to_near) run in order.
struct Plan {
  std::string id;
  int iterations = 20;
  int warmup = 3;
  double max_ms = 30000;
  std::vector<Step> steps;
};

// Reads plans: each a line `plan id=N steps=M iterations=20 warmup=3 max_ms=30000` and M lines `step
// spin|busy|to_far|to_near AMOUNT WAITS`, with WAITS `-` or `0,3`. Throws std::runtime_error with the line.
std::vector<std::shared_ptr<const Plan>> read_plans(std::istream& text, const std::string& file);

struct Repeats {
  int least = 11;
  int most = 11;
  double target = 0.01;  // repeat until the median's 95 % interval is +- this share, or `most`
  double max_ms = 5000;
};

struct Request {
  std::string what;
  std::map<std::string, std::string> keys;
  std::string group;  // one of kGroups
  Repeats repeats;
  double seconds = 0;                  // estimate of the request's duration
  std::shared_ptr<const Plan> plan{};  // plan of a replay; null: another request

  std::string text() const;
};

// Groups in order. Managed memory comes last in its own process, since it can hang a device.
inline constexpr const char* kGroups[] = {"pinned", "costs", "replay", "pageable", "unified"};

// Returns all requests except replays, most useful first. `full`: more sizes and repetitions.
std::vector<Request> all_requests(const Machine& machine, bool full);

// Buffers by place and slot, kept between requests of one kind, so that each is allocated and touched once.
using BufferPool = std::map<std::pair<Place, int>, std::unique_ptr<Buffer>>;

using Values = std::vector<double>;  // ns of one repetition, by metric

class Job {
 public:
  Job(const Request& request, const Machine& machine, BufferPool& pool, Output& output)
      : request_(request), machine_(machine), pool_(pool), output_(output) {}

  const Machine& machine() const { return machine_; }
  const Request& request() const { return request_; }
  const Output& output() const { return output_; }
  std::string text(const std::string& key) const;  // value of the key; empty: no such key
  std::size_t bytes() const;
  int count(const std::string& key, int otherwise) const;
  bool to_near() const { return text("direction") == "to_near"; }

  Buffer& buffer(Place place, int slot, std::size_t bytes);
  void* near(int slot, std::size_t bytes) { return buffer(Place::kNear, slot, bytes).get(); }

  // Functions that fill GPU (or managed) or host memory with pattern_word(), or count words that differ from it.
  static void fill_near(const Stream& stream, void* memory, std::size_t bytes, std::uint64_t seed);
  static void fill_host(void* memory, std::size_t bytes, std::uint64_t seed);
  std::uint64_t wrong_near(const Stream& stream, const void* memory, std::size_t bytes,
                           std::uint64_t seed);
  static std::uint64_t wrong_host(const void* memory, std::size_t bytes, std::uint64_t seed);
  // Throws Failure if `wrong_words` > 0; else adds verified = 1 to the `done` record.
  void require_right(std::uint64_t wrong_words);

  // Warms up, then repeats `once` as the request's Repeats say, and stores a sample for each metric and repetition.
  void repeat(const std::vector<const char*>& metrics, const std::function<Values()>& once);
  void note(const std::string& text);
  // Adds a value to the `done` record under `key`.
  void set_result(const std::string& key, std::int64_t value) { results_[key] = value; }
  void note_link();  // adds the link's state right after copies, before it saves power
  void finish();     // sends the samples and `done`

 private:
  void warm_up(const std::function<Values()>& once, double start_ns, double limit_ns);

  const Request& request_;
  const Machine& machine_;
  BufferPool& pool_;
  Output& output_;
  std::vector<std::pair<const char*, std::vector<double>>> samples_;
  std::int64_t warmup_ = 0;
  bool stable_ = true;
  std::map<std::string, std::int64_t> results_;
};

// Answers a request. Throws Failure.
void measure(Job& job);
void measure_replay(Job& job);

double median_of(std::vector<double> values);

}  // namespace ooc::bench
