// How fast could it be? The reference workload run by the least code that still orders events in time
// and counts memory: plain arrays, three queues written out, no causes, no general plan. The engine is
// measured against it in the same run.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/support/reference_workload.hpp"

namespace ooc::bench {

class LedgerFloor {
 public:
  LedgerFloor(const test::ReferenceDurations& durations, std::int64_t budget);

  /// Makespan in ns.
  std::int64_t run();

 private:
  struct Queue {
    std::vector<std::int32_t> steps;
  };

  std::int64_t budget_;
  std::vector<std::int64_t> durations_;   // by step
  std::vector<std::int32_t> first_wait_;  // by step; -1: none
  std::vector<std::int32_t> second_wait_;
  std::vector<std::int64_t> takes_;
  std::vector<std::int64_t> gives_;
  std::vector<std::int64_t> ends_;
  Queue queues_[3];
};

}  // namespace ooc::bench
