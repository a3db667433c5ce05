// What a schedule is handed in tests: a workload, a budget, options, and the engine to try plans with.
#pragma once

#include <variant>

#include "simulator/engine/simulate.hpp"
#include "simulator/schedules/schedule.hpp"
#include "tests/support/random_networks.hpp"

namespace ooc::test {

/// `workload` must outlive it.
inline PlanningProblem problem_of(const Workload& workload, Bytes budget,
                                  const ScheduleOptions& options = {}) {
  const auto evaluate = [&workload, budget](const Plan& plan) {
    const Outcome outcome = simulate({.plan = plan, .costs = workload.costs, .budget = budget});
    const auto* timeline = std::get_if<Timeline>(&outcome);
    return timeline == nullptr ? Trial{} : Trial{.iteration_time = timeline->iteration_time};
  };
  return {.graph = workload.graph,
          .costs = workload.costs,
          .budget = budget,
          .options = options,
          .evaluate = evaluate};
}

}  // namespace ooc::test
