// GPU memory that states take during each task, computed before any plan (state.hpp). Private to this folder.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "model/rewrite/state.hpp"

namespace ooc {

/// First and last task of `planned` that write a gradient.
struct GradientWriters {
  std::size_t first;
  std::size_t last;
  std::size_t round;  ///< micro-batch of `last`
};

/// Sets `booked` and `booked_anywhere`. `writers`: by gradient. `round_tasks`: tasks of a
/// micro-batch; 0: no accumulation.
void book_state(MovingState& state, std::span<const std::optional<GradientWriters>> writers,
                std::size_t round_tasks);

}  // namespace ooc
