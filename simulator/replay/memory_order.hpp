// The order in which a simulated run took and gave back near memory, and what follows from it: how
// many frees each step has to wait for if memory is never to overflow (the argument is in
// replay_program.hpp). The order repeats the engine's rounds: at one instant ends come first, then
// frees, then starts by (time it became ready, sequence); steps of no length end in a further round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator/plan/plan.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

/// Addresses of blocks are multiples of it: more than a cache line (128 bytes) and than cuDNN asks for.
inline constexpr Bytes kReplayAlignment{512};

/// A block as so many whole pages and a rest below a page, rounded up to kReplayAlignment.
struct PagedSize {
  std::int64_t pages = 0;
  Bytes rest;
};

/// `page` is a multiple of kReplayAlignment, above 0.
[[nodiscard]] PagedSize paged_size(Bytes block, Bytes page);

struct MemoryOrder {
  std::vector<StepId> starts;             ///< all steps; each behind all that it waits for
  std::vector<BlockId> frees;             ///< all blocks that are ever freed
  std::vector<std::size_t> needed_frees;  ///< by step: wait for so many of `frees`; 0: none
  Bytes peak;                             ///< static bytes included
  std::int64_t peak_pages = 0;            ///< whole pages of resident blocks, at most
  Bytes peak_rests;                       ///< sum of their rests, at most
};

/// Of a plan for one device. `timeline`: simulated with the ideal allocator and at least as large
/// a budget. With a `page` the frees that are needed make room in bytes and in whole pages too, of
/// which there are peak_pages then.
[[nodiscard]] MemoryOrder order_memory(const Plan& plan, const Timeline& timeline, Bytes budget,
                                       Bytes page = Bytes(0));

}  // namespace ooc
