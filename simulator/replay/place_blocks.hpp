// Gives every block its place in the arena. Two blocks may share addresses if one is certainly free
// before the other is taken; the others must not overlap, and the extent should be small: dynamic
// storage allocation with known lifetimes, which is NP-hard. Several greedy orders are tried, each block
// into the tightest hole that is left, and the best extent is taken; then blocks on top are moved to the
// front of the order for as long as that helps.
#pragma once

#include <vector>

#include "model/base/units.hpp"
#include "simulator/replay/step_waits.hpp"

namespace ooc {

struct PlacedBlock {
  Bytes bytes;
  bool initial = false;
  QueueCounts ended;      ///< certain when it is taken (all zero if initial)
  QueueCounts free_when;  ///< what must have ended for it to be free
  std::size_t taken = 0;  ///< place in the order of the simulated run, for orders to try
  std::size_t freed = 0;
};

inline constexpr Bytes kBlockAlignment{512};

struct Placement {
  std::vector<Bytes> offsets;  ///< by block, multiples of kBlockAlignment
  Bytes extent;
};

/// `at_least`: stop looking for better once the extent is this.
[[nodiscard]] Placement place_blocks(const std::vector<PlacedBlock>& blocks, Bytes at_least);

}  // namespace ooc
