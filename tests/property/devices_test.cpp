// Does an iteration on several devices keep the laws of schedules, whatever the schedule, network, budget, link
// and split of the batch? The plan validates on the graph that is written out; it does not exceed the
// budget; the engine is never blocked and agrees with the naive simulator; no lower bound exceeds the
// time; and the same input gives the same plan.
#include "simulator/engine/simulate.hpp"
#include "simulator/plan/bounds.hpp"
#include "simulator/plan/plan_text.hpp"
#include "simulator/plan/weave_state.hpp"
#include "simulator/predict/planning.hpp"
#include "simulator/schedules/sub_batch.hpp"
#include "tests/support/iteration_of.hpp"
#include "tests/support/peaks.hpp"
#include "tests/support/plan_laws.hpp"
#include "tests/support/property_cases.hpp"
#include "tests/support/state_example.hpp"
#include "tests/support/test.hpp"
#include "tests/support/waiting_copies.hpp"

namespace ooc::test {
namespace {

constexpr std::size_t kMostNaiveSteps = 800;

/// One network on some devices under one schedule.
struct DeviceCase {
  std::string text;
  std::int64_t batch;
  int devices;
  const Schedule& schedule;
  SubBatch sub_batch;
  Workload workload;  ///< at the largest share
  LinkSpec link;
  std::int64_t bucket;

  [[nodiscard]] CostTable costs_at(std::int64_t samples) const {
    CostTable costs = workload_of_text(text, samples).costs;
    set_link(costs, link);
    return costs;
  }
};

PlannedIteration plan_share(const DeviceCase& test, Bytes budget) {
  const CostTable share = test.costs_at(largest_share(test.batch, test.devices));
  const auto plan = [&](const CostTable& costs) {
    const auto evaluate = [&](const Plan& tried) {
      const Outcome outcome = simulate({.plan = tried, .costs = costs, .budget = budget});
      const auto* timeline = std::get_if<Timeline>(&outcome);
      return timeline == nullptr ? Trial{} : Trial{.iteration_time = timeline->iteration_time};
    };
    return test.schedule.make_plan(
        {.graph = test.workload.graph, .costs = costs, .budget = budget, .evaluate = evaluate});
  };
  PlannedIteration result;
  if (test.sub_batch.kind == SubBatch::Kind::kOff) {
    result.plan = plan(share);
  } else {
    result = plan_in_rounds({.graph = test.workload.graph,
                             .costs = share,
                             .budget = budget,
                             .sub_batch = test.sub_batch,
                             .costs_at = [&](std::int64_t b) { return test.costs_at(b); },
                             .plan = plan});
  }
  if (!result.iteration) {
    result.iteration = std::make_shared<const Iteration>(iteration_of(test.workload.graph, share));
  }
  return result;
}

/// The plan with the sums of gradients, and what it is about.
struct Joint {
  MovingState moving;
  CostTable costs;
  Plan plan;
};

/// Unset: the share does not fit.
std::optional<Joint> join(const DeviceCase& test, Bytes budget, Exchange exchange) {
  const PlannedIteration share = plan_share(test, budget);
  if (!std::holds_alternative<Plan>(share.plan)) return std::nullopt;
  Joint joint{
      .moving = move_state(*share.iteration->graph, {.pipelined = exchange == Exchange::kOverlap,
                                                     .devices = test.devices,
                                                     .bucket = test.bucket}),
      .costs = {},
      .plan = {}};
  joint.costs = moving_costs(joint.moving, share.iteration->costs, {});
  set_state_link(joint.moving, test.link, joint.costs);
  joint.plan = weave_state(std::get<Plan>(share.plan), joint.moving, joint.costs);
  return joint;
}

void check_naive(const Joint& joint, Bytes budget, const Timeline& timeline) {
  const NaiveResult naive =
      require_naive_agrees(joint.plan, joint.moving.graph, joint.costs, budget, timeline);
  for (std::size_t i = 0; i < timeline.spans.size(); ++i) {
    REQUIRE(naive.spans[i].start == timeline.spans[i].start.count());
    REQUIRE(naive.spans[i].end == timeline.spans[i].end.count());
  }
}

/// Of the device alone, and of the sums.
Duration bound_of(const DeviceCase& test, const Joint& joint, Bytes budget) {
  const TrainingGraph& graph = joint.moving.planned;
  MemoryPressure pressure;
  find_memory_pressure(graph, joint.costs, budget, pressure);
  REQUIRE(pressure.feasible);
  if (test.schedule.is(Trait::kRecomputes)) pressure.cuts.clear();
  return std::max({bound_cuts(pressure, joint.costs.transfers).best(),
                   bound_windows(graph, joint.costs, pressure),
                   state_bound(joint.moving, joint.costs, TaskOrder::kAny)});
}

void check_devices(Dice& dice, const DeviceCase& test, Bytes budget, Exchange exchange,
                   WaitingRuns& waiting) {
  const std::optional<Joint> joint = join(test, budget, exchange);
  if (!joint) return;
  const Timeline timeline = require_run(joint->plan, joint->moving.graph, joint->costs, budget);
  const Duration bound = bound_of(test, *joint, budget);
  REQUIRE(bound <= timeline.iteration_time);
  require_categories_add_up(joint->plan, joint->moving.graph, joint->costs, timeline);
  if (dice.once_in(4) && joint->plan.steps.size() <= kMostNaiveSteps) {
    check_naive(*joint, budget, timeline);
  }
  waiting.add(dice, {joint->plan, joint->moving.graph, joint->costs, budget, bound});
  if (!dice.once_in(4)) return;
  const std::optional<Joint> again = join(test, budget, exchange);
  REQUIRE(write_plan_text(joint->plan, joint->moving.graph, joint->costs, budget) ==
          write_plan_text(again->plan, again->moving.graph, again->costs, budget));
}

SubBatch random_sub_batch(Dice& dice) {
  if (!dice.once_in(3)) return {.kind = SubBatch::Kind::kOff};
  if (dice.once_in(2)) return {.kind = SubBatch::Kind::kAuto};
  return {.kind = SubBatch::Kind::kSize, .samples = 1};
}

TEST_CASE("an iteration on several devices keeps the laws of schedules") {
  static constexpr NetworkForm kForms[] = {NetworkForm::kMixedChain, NetworkForm::kRealChain,
                                           NetworkForm::kGraph, NetworkForm::kSequence};
  std::size_t run = 0;
  WaitingRuns waiting;
  const std::uint64_t cases = for_each_seed(400, [&](std::uint64_t seed) {
    Dice dice(seed);
    const std::string text = random_network_text(dice, kForms[dice.index(std::size(kForms))], 10);
    const Schedule& schedule = *schedules()[dice.index(schedules().size())];
    if (schedule.is(Trait::kMovesPages)) return;  // planned page by page, for one device
    const auto devices = static_cast<int>(dice.number(2, 4));
    const std::int64_t batch = dice.number(devices, 12);
    DeviceCase test{.text = text,
                    .batch = batch,
                    .devices = devices,
                    .schedule = schedule,
                    .sub_batch = random_sub_batch(dice),
                    .workload = workload_of_text(text, largest_share(batch, devices)),
                    .link = {},
                    .bucket = dice.magnitude(500, 2'000'000)};
    test.link = random_link(dice, test.workload);
    INFO(rerun("property_devices", seed));
    INFO("schedule ", schedule.name, ", batch ", batch, ", devices ", devices);
    INFO(text);
    const Bytes smallest = smallest_of(plan_share(test, Bytes(0)).plan);
    const Bytes more(dice.once_in(2) ? 0 : dice.number(0, smallest.count()));
    REQUIRE(join(test, smallest, Exchange::kEnd).has_value());
    for (const Exchange exchange : {Exchange::kEnd, Exchange::kOverlap}) {
      check_devices(dice, test, smallest + more, exchange, waiting);
    }
    ++run;
  });
  waiting.check_rare(50);
  if (cases >= 100) CHECK(run > cases / 2);
}

}  // namespace
}  // namespace ooc::test
