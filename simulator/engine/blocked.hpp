// The report of a run that stopped: who wanted memory, and who holds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "simulator/plan/plan.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

struct StoppedRun {
  const Plan& plan;
  const QueuedStep& head;  ///< the one that was ready first
  std::size_t device = 0;  ///< its
  std::int64_t free = 0;
  std::int64_t largest_hole = 0;
  std::span<const std::int32_t> done;  ///< by queue_index: steps that have ended
};

[[nodiscard]] Blocked describe(const StoppedRun& run);

/// The blocks that are resident from the start do not fit.
[[nodiscard]] Blocked initial_blocks_too_large(const Plan& plan, std::int64_t room);

}  // namespace ooc
