// Seeded random plans: few steps, every feature of the engine (several queues, waits,
// blocks with several releasers, zero durations, infinite rates, latency 0, duplex below 1, tight
// budgets). They mean nothing as training; they are structurally sound: waits go to earlier steps,
// and a block is released only after it was taken.
#pragma once

#include <cstdint>

#include "model/cost/cost_table.hpp"
#include "simulator/plan/plan.hpp"
#include "tests/support/hand_graph.hpp"

namespace ooc::test {

struct RandomPlan {
  HandGraph names;
  TrainingGraph graph;
  CostTable costs;
  Plan plan;
  Bytes budget;
};

[[nodiscard]] RandomPlan random_plan(std::uint64_t seed);

}  // namespace ooc::test
