// Report of a blocked run: the step that wants memory, and the blocks that hold it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "simulator/plan/plan.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

struct StoppedRun {
  const Plan& plan;
  const QueuedStep& head;  ///< head of a queue that was ready first
  std::size_t device = 0;  ///< device of the head
  std::int64_t free = 0;
  std::int64_t largest_hole = 0;
  std::span<const std::int32_t> done;  ///< by queue_index: number of steps that have ended
};

[[nodiscard]] Blocked describe(const StoppedRun& run);

/// Returns the report for initial blocks that exceed `room`.
[[nodiscard]] Blocked initial_blocks_too_large(const Plan& plan, std::int64_t room);

}  // namespace ooc
