// Two tiny devices that obey a replay program: one with given durations, one that does whatever may
// happen next in an order drawn by lot. They know queues, waits and addresses, and nothing of how
// these were found.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "simulator/plan/plan.hpp"
#include "simulator/timeline/timeline.hpp"
#include "tests/support/random_networks.hpp"

namespace ooc::test {

/// Of each block the bytes of the pool that it lies in, as [begin, end).
using Places = std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>>;

using Waits = std::vector<std::vector<std::int32_t>>;  ///< by step: steps of other queues

/// Spans by step when each starts as soon as it may; fewer if it gets stuck.
[[nodiscard]] std::vector<Span> run_with_durations(const Plan& plan, const Waits& waits,
                                                   const std::vector<Duration>& durations);

struct RandomRun {
  bool finished = false;
  Bytes peak;                   ///< static bytes included
  std::int64_t peak_pages = 0;  ///< whole pages of resident blocks
  std::string overlap;          ///< two blocks resident at once in the same bytes; empty: none
};

/// At every turn one of the events that are possible (a head starts, a running step ends), drawn
/// with random preferences for queues. `places` by block; empty: they are not looked at. Pages of
/// `page` bytes are counted if it is above 0.
[[nodiscard]] RandomRun run_in_random_order(const Plan& plan, const Waits& waits,
                                            const Places& places, Dice& dice, Bytes page = {});

}  // namespace ooc::test
