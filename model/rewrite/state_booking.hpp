// What state takes of near memory while a task runs, known before any plan (state.hpp). Private to this folder.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "model/rewrite/state.hpp"

namespace ooc {

/// Tasks of `planned` between which a gradient is written, and the round they are of.
struct GradientWriters {
  std::size_t first;
  std::size_t last;
  std::size_t round;
};

/// Fills in `booked` and `booked_anywhere`. `writers`: by gradient. `round_tasks`: how many a round has where the gradients
/// of each round leave; 0: they leave behind backward.
void book_state(MovingState& state, std::span<const std::optional<GradientWriters>> writers,
                std::size_t round_tasks);

}  // namespace ooc
