// Two tiny devices that obey a plan's waits: one with given durations, one that does whatever may happen next in an
// order drawn by lot. They know queues and waits, and nothing of how these were found.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/plan/plan.hpp"
#include "simulator/timeline/timeline.hpp"
#include "tests/support/random_networks.hpp"

namespace ooc::test {

using Waits = std::vector<std::vector<std::int32_t>>;  ///< by step: steps of other queues

/// Spans by step when each starts as soon as it may; fewer if it gets stuck.
[[nodiscard]] std::vector<Span> run_with_durations(const Plan& plan, const Waits& waits,
                                                   const std::vector<Duration>& durations);

struct RandomRun {
  bool finished = false;
  Bytes peak;  ///< peak of GPU memory, static bytes included
};

/// At every turn one of the events that are possible (a head starts, a running step ends), drawn with random preferences
/// for queues.
[[nodiscard]] RandomRun run_in_random_order(const Plan& plan, const Waits& waits, Dice& dice);

}  // namespace ooc::test
