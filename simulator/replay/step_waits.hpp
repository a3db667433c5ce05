// Waits of each step of a program: the plan's and those for memory, reduced to the fewest that give
// the same order. Queues are in order, so the steps that have ended are one number a queue. A wait
// is needed only if queue order and other waits do not imply it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simulator/plan/plan.hpp"
#include "simulator/replay/memory_order.hpp"

namespace ooc {

/// By StepKind: number of steps of that queue that have ended.
using QueueCounts = std::array<std::int32_t, 3>;

struct StepWaits {
  std::vector<std::vector<std::int32_t>> waits;  ///< by step: steps of other queues, ascending
  std::vector<QueueCounts> ended;  ///< by step: number certainly ended before its start
};

[[nodiscard]] StepWaits find_step_waits(const Plan& plan, const MemoryOrder& order);

}  // namespace ooc
