// The order in which a simulated run took and gave back near memory, and what follows from it: how
// many frees each step has to wait for if memory is never to overflow (the argument is in
// replay_plan.hpp). The order repeats the engine's rounds: at one instant ends come first, then
// frees, then starts by (time it became ready, sequence); steps of no length end in a further round.
#pragma once

#include <cstddef>
#include <vector>

#include "simulator/plan/plan.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

struct MemoryOrder {
  std::vector<StepId> starts;             ///< all steps; each behind all that it waits for
  std::vector<BlockId> frees;             ///< all blocks that are ever freed
  std::vector<std::size_t> needed_frees;  ///< by step: wait for so many of `frees`; 0: none
  Bytes peak;                             ///< static bytes included
};

/// Of a plan for one device. `timeline`: simulated with the ideal allocator and at least as large a budget.
[[nodiscard]] MemoryOrder order_memory(const Plan& plan, const Timeline& timeline, Bytes budget);

}  // namespace ooc
