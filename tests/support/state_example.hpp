// Workload with moving states, with or without gradient accumulation: planned by a schedule, woven, checked and run.
#pragma once

#include <doctest/doctest.h>

#include <optional>
#include <utility>

#include "model/rewrite/state.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/plan/weave_state.hpp"
#include "simulator/schedules/own_options.hpp"
#include "simulator/schedules/schedule.hpp"
#include "simulator/schedules/sub_batch.hpp"
#include "tests/support/plan_laws.hpp"
#include "tests/support/random_networks.hpp"

namespace ooc::test {

/// Three of four quarters of a gigabyte in 10 ms.
inline constexpr PeerLink kPeers{.throughput = BytesPerSecond(75'000'000'000), .latency = {}};

/// Copies over `link`; collectives of what is sharded over kPeers.
inline void set_state_link(const MovingState& state, const LinkSpec& link, CostTable& costs) {
  CostTable copied = costs;
  for (std::size_t i = 0; i < copied.tensor_bytes.size(); ++i) {
    copied.tensor_bytes[i] = host_bytes(state.graph.tensors[i], copied.tensor_bytes[i]);
  }
  set_link(copied, link);
  costs.transfers = std::move(copied.transfers);
  add_collectives(state, kPeers, costs);
}

struct StateExample {
  /// Number of plans that searching schedules try.
  static constexpr std::int64_t kPlansTried = 20;

  StateExample(const Workload& the_workload, const StateOptions& options, const FarCompute& far,
               const LinkSpec& link, std::int64_t rounds = 1)
      : workload(the_workload), round(move_state(workload.graph, options)) {
    round_costs = moving_costs(round, workload.costs, far);
    set_state_link(round, link, round_costs);
    moving = round;
    costs = round_costs;
    if (rounds == 1) return;
    const Iteration all = write_out_rounds(workload.graph, workload.costs, workload.costs,
                                           rounds * workload.costs.batch);
    moving = move_state(*all.graph, options);
    costs = moving_costs(moving, all.costs, far);
    set_state_link(moving, link, costs);
    round = book_for_rounds(std::move(round), moving);
  }

  /// Plans the job with its schedule, weaves in the states and validates the result.
  [[nodiscard]] PlanResult result(const Schedule& schedule, Bytes budget) const {
    const Booking booking = schedule.is(Trait::kRecomputes) ? Booking::kAnywhere : Booking::kByTask;
    CostTable planned = planned_costs(round, workload.costs, booking);
    planned.transfers = round_costs.transfers;
    PlanningProblem problem{.graph = round.planned, .costs = planned, .budget = budget};
    problem.carries_state = true;
    problem.options.own.change().search = kPlansTried;
    std::optional<Plan> woven;
    SimulationBuffers buffers;
    problem.evaluate = [&](const Plan& plan) {
      woven.emplace(weave_state(plan, round, round_costs));
      if (simulate({.plan = *woven, .costs = round_costs, .budget = budget}, buffers)) {
        return Trial{};
      }
      return Trial{.iteration_time = buffers.timeline.iteration_time,
                   .plan = &*woven,
                   .timeline = &buffers.timeline};
    };
    PlanResult made = schedule.make_plan(problem);
    if (const Plan* plan = std::get_if<Plan>(&made)) {
      require_valid(*plan, round.planned, planned);
    }
    if (costs.batch != planned.batch) {
      CostTable whole = planned;
      whole.batch = costs.batch;
      made = plan_in_rounds({.graph = round.planned,
                             .costs = whole,
                             .budget = budget,
                             .sub_batch = {.kind = SubBatch::Kind::kSize, .samples = planned.batch},
                             .costs_at = [&](std::int64_t) { return planned; },
                             .plan = [&](const CostTable&) { return made; }})
                 .plan;
    }
    if (const Plan* plan = std::get_if<Plan>(&made)) {
      made = weave_state(*plan, moving, costs);
      require_valid(std::get<Plan>(made), moving.graph, costs);
    }
    return made;
  }
  /// Runs the plan. Precondition: the job fits.
  [[nodiscard]] Timeline run(const Schedule& schedule, Bytes budget) const {
    const PlanResult made = result(schedule, budget);
    REQUIRE(std::holds_alternative<Plan>(made));
    Outcome outcome = simulate({.plan = std::get<Plan>(made), .costs = costs, .budget = budget});
    REQUIRE(std::holds_alternative<Timeline>(outcome));
    return std::get<Timeline>(std::move(outcome));
  }

  [[nodiscard]] std::int64_t frozen_far() const {
    std::int64_t bytes = 0;
    for (const StateUnit& unit : moving.units) bytes += unit.weights_far ? unit.frozen_bytes : 0;
    return bytes;
  }

  const Workload& workload;
  MovingState round;  ///< states that schedules plan with
  CostTable round_costs;
  MovingState moving;  ///< states of all micro-batches
  CostTable costs;
};

}  // namespace ooc::test
