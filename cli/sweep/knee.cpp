// Exact comparison in 128 bit: time <= compute x (100 + p) / 100.
#include "cli/sweep/knee.hpp"

namespace ooc {
namespace {

bool within(const LinkTime& time, int percent) {
  return time.feasible && Int128{time.iteration_time.count()} * 100 <=
                              Int128{time.compute_time.count()} * (100 + percent);
}

}  // namespace

Knee find_knee(std::size_t unit, std::span<const std::optional<BytesPerSecond>> links,
               std::span<const LinkTime> times) {
  Knee knee{.unit = unit, .within_1_percent = {}, .within_5_percent = {}};
  const auto slower = [&](std::size_t link, const std::optional<std::size_t>& than) {
    return !than || *links[link] < *links[*than];
  };
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (within(times[i], 1) && slower(i, knee.within_1_percent)) knee.within_1_percent = i;
    if (within(times[i], 5) && slower(i, knee.within_5_percent)) knee.within_5_percent = i;
  }
  return knee;
}

}  // namespace ooc
