// What each step of a program waits for: the plan's waits and the waits for memory, as few as give the
// same order. Queues are in order, so "what has certainly ended" is one number per queue, and a wait
// is needed only where queue order and the other waits do not imply it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simulator/plan/plan.hpp"
#include "simulator/replay/memory_order.hpp"

namespace ooc {

/// By StepKind: how many steps of that queue have ended.
using QueueCounts = std::array<std::int32_t, 3>;

struct StepWaits {
  std::vector<std::vector<std::int32_t>> waits;  ///< by step: steps of other queues, ascending
  std::vector<QueueCounts> ended;                ///< by step: certain before it starts
};

[[nodiscard]] StepWaits find_step_waits(const Plan& plan, const MemoryOrder& order);

}  // namespace ooc
