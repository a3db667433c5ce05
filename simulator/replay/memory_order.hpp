// Order in which a simulated run takes and frees GPU memory, and the number of frees that each step
// must wait for so that memory never overflows (replay_plan.hpp has the argument).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator/plan/plan.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

struct MemoryOrder {
  std::vector<StepId> starts;             ///< all steps, each after all that it waits for
  std::vector<BlockId> frees;             ///< all blocks that are ever freed
  std::vector<std::size_t> needed_frees;  ///< by step: number of `frees` to wait for; 0: none
  Bytes peak;                             ///< peak of GPU memory, static bytes included
};

/// `plan`: of one device. `timeline`: simulated with the ideal allocator and at least this budget; with its events.
[[nodiscard]] MemoryOrder order_memory(const Plan& plan, const Timeline& timeline, Bytes budget);

// Waits of each step of a program: the plan's and those for memory, reduced to the fewest that give
// the same order. Queues are in order, so the steps that have ended are one number a queue. A wait
// is needed only if queue order and other waits do not imply it.

/// By StepKind: number of steps of that queue that have ended.
using QueueCounts = std::array<std::int32_t, 3>;

struct StepWaits {
  std::vector<std::vector<std::int32_t>> waits;  ///< by step: steps of other queues, ascending
  std::vector<QueueCounts> ended;  ///< by step: number certainly ended before its start
};

[[nodiscard]] StepWaits find_step_waits(const Plan& plan, const MemoryOrder& order);

}  // namespace ooc
