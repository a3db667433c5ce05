// A workload whose state moves: planned by a schedule, woven, checked and run.
#pragma once

#include <doctest/doctest.h>

#include <optional>
#include <utility>

#include "model/rewrite/state.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/plan/validate_plan.hpp"
#include "simulator/plan/weave_state.hpp"
#include "simulator/schedules/own_options.hpp"
#include "simulator/schedules/schedule.hpp"
#include "tests/support/random_networks.hpp"

namespace ooc::test {

struct StateExample {
  /// By schedules that search.
  static constexpr std::int64_t kPlansTried = 20;

  StateExample(const Workload& the_workload, const StateOptions& options, const FarCompute& far,
               const LinkSpec& link)
      : workload(the_workload), moving(move_state(workload.graph, options)) {
    costs = moving_costs(moving, workload.costs, far);
    set_link(costs, link);
  }

  /// `booking`: as its schedule needs.
  [[nodiscard]] PlanResult result(const Schedule& schedule, Bytes budget) const {
    const Booking booking = schedule.is(Trait::kRecomputes) ? Booking::kAnywhere : Booking::kByTask;
    CostTable planned = planned_costs(moving, workload.costs, booking);
    planned.transfers = costs.transfers;
    PlanningProblem problem{.graph = moving.planned, .costs = planned, .budget = budget};
    problem.carries_state = true;
    problem.options.own.change().search = kPlansTried;
    std::optional<Plan> woven;
    SimulationBuffers buffers;
    problem.evaluate = [&](const Plan& plan) {
      woven.emplace(weave_state(plan, moving, costs));
      if (simulate({.plan = *woven, .costs = costs, .budget = budget}, buffers)) return Trial{};
      return Trial{.iteration_time = buffers.timeline.iteration_time,
                   .plan = &*woven,
                   .timeline = &buffers.timeline};
    };
    PlanResult made = schedule.make_plan(problem);
    if (const Plan* plan = std::get_if<Plan>(&made)) {
      const auto before = validate_plan(*plan, moving.planned, planned);
      REQUIRE_MESSAGE(!before, before.value_or(""));
      made = weave_state(*plan, moving, costs);
      const auto unsound = validate_plan(std::get<Plan>(made), moving.graph, costs);
      REQUIRE_MESSAGE(!unsound, unsound.value_or(""));
    }
    return made;
  }
  /// Of one that fits.
  [[nodiscard]] Timeline run(const Schedule& schedule, Bytes budget) const {
    const PlanResult made = result(schedule, budget);
    REQUIRE(std::holds_alternative<Plan>(made));
    Outcome outcome = simulate({.plan = std::get<Plan>(made), .costs = costs, .budget = budget});
    REQUIRE(std::holds_alternative<Timeline>(outcome));
    return std::get<Timeline>(std::move(outcome));
  }

  const Workload& workload;
  MovingState moving;
  CostTable costs;
};

}  // namespace ooc::test
