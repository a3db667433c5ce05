// The times of a plan's iterations, and the lines that say them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "calibrate/gpu/line.hpp"
#include "calibrate/gpu/replay/executor.hpp"

namespace ooc::gpu {

class ReplayResults {
 public:
  ReplayResults(std::int64_t id, Output& output) : id_(id), output_(output) {}

  // Keeps an iteration and sends its line at once.
  void add(ReplayTimes times);
  std::size_t iterations() const { return all_.size(); }
  // One `span` line a step.
  void send_spans() const;
  void note(const std::string& text) const;

 private:
  // The one whose time is the median (of an even number the shorter of the middle two): a time that was measured,
  // so that its spans belong together.
  const ReplayTimes& median_iteration() const;
  std::vector<double> durations(std::size_t step) const;

  std::int64_t id_;
  Output& output_;
  std::vector<ReplayTimes> all_;
};

}  // namespace ooc::gpu
