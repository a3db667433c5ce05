// The knee of a link sweep: how fast a link must be before faster ones stop mattering.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "model/base/units.hpp"

namespace ooc {

/// Of one unit (network, machine, batch, memory, schedule): places in the list of links.
struct Knee {
  std::size_t unit = 0;
  std::optional<std::size_t> within_1_percent;
  std::optional<std::size_t> within_5_percent;
};

/// One configuration of the unit, by link.
struct LinkTime {
  bool feasible = false;
  Duration iteration_time;
  Duration compute_time;  ///< the sum of its tasks
};

/// The slowest link of the list whose iteration takes at most 1 % (5 %) longer than
/// its computation alone. The
/// list need not be sorted.
[[nodiscard]] Knee find_knee(std::size_t unit, std::span<const std::optional<BytesPerSecond>> links,
                             std::span<const LinkTime> times);

}  // namespace ooc
