// Laws of every plan, on the graph that it is about: it is valid, it runs within its budget, and the naive simulator says
// the same of it.
#pragma once

#include <doctest/doctest.h>

#include "simulator/engine/simulate.hpp"
#include "simulator/plan/plan_text.hpp"
#include "simulator/schedules/schedule.hpp"
#include "tests/support/naive_simulator.hpp"
#include "tests/support/validate_plan.hpp"

namespace ooc::test {

inline void require_valid(const Plan& plan, const TrainingGraph& graph, const CostTable& costs) {
  const auto unsound = validate_plan(plan, graph, costs);
  REQUIRE_MESSAGE(!unsound, unsound.value_or(""));
}

/// Returns the smallest budget that a refusal tells.
[[nodiscard]] inline Bytes smallest_of(const PlanResult& refused) {
  REQUIRE(std::holds_alternative<OutOfMemory>(refused));
  return std::get<OutOfMemory>(refused).smallest_budget.value();
}

/// Returns the run of a plan that is valid and fits.
[[nodiscard]] inline Timeline require_run(const Plan& plan, const TrainingGraph& graph,
                                          const CostTable& costs, Bytes budget) {
  require_valid(plan, graph, costs);
  Outcome outcome = simulate({.plan = plan, .costs = costs, .budget = budget});
  REQUIRE(std::holds_alternative<Timeline>(outcome));
  Timeline timeline = std::get<Timeline>(std::move(outcome));
  REQUIRE(timeline.peak_near <= budget);
  return timeline;
}

/// Returns what the naive simulator says of a plan, where time and peak are those of `timeline`.
inline NaiveResult require_naive_agrees(const Plan& plan, const TrainingGraph& graph,
                                        const CostTable& costs, Bytes budget,
                                        const Timeline& timeline) {
  NaiveResult naive = simulate_naively(read_plan_text(write_plan_text(plan, graph, costs, budget)));
  REQUIRE(naive.finished);
  REQUIRE(naive.iteration_time == timeline.iteration_time.count());
  REQUIRE(naive.peak == timeline.peak_near.count());
  return naive;
}

}  // namespace ooc::test
