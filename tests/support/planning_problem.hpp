// Input of a schedule in tests: a workload, a budget, options, and the engine to try plans with.
#pragma once

#include <memory>

#include "simulator/engine/simulate.hpp"
#include "simulator/schedules/schedule.hpp"
#include "tests/support/random_networks.hpp"

namespace ooc::test {

/// `workload` must outlive the problem.
inline PlanningProblem problem_of(const Workload& workload, Bytes budget,
                                  const ScheduleOptions& options = {}) {
  const auto evaluate = [&workload, budget,
                         buffers = std::make_shared<SimulationBuffers>()](const Plan& plan) {
    if (simulate({.plan = plan, .costs = workload.costs, .budget = budget}, *buffers)) {
      return Trial{};
    }
    const Timeline& timeline = buffers->timeline;
    return Trial{.iteration_time = timeline.iteration_time, .plan = &plan, .timeline = &timeline};
  };
  return {.graph = workload.graph,
          .costs = workload.costs,
          .budget = budget,
          .options = options,
          .evaluate = evaluate};
}

}  // namespace ooc::test
