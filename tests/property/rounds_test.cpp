// Does an iteration in rounds keep the laws of schedules, whatever the schedule, network, budget and
// sub-batch? The plan of all rounds validates on the graph that is written out; every task runs once per round
// and each update once; near memory stays within the budget; no lower bound exceeds the time; the naive
// simulator agrees; and with sub-batches as small as they must be the smallest budget is that of one sample,
// exactly: for moDNN the theoretical bound, weights + the largest task.
#include "simulator/engine/simulate.hpp"
#include "simulator/plan/bounds.hpp"
#include "simulator/plan/bounds_mixed.hpp"
#include "simulator/schedules/sub_batch.hpp"
#include "tests/support/all_bounds.hpp"
#include "tests/support/peaks.hpp"
#include "tests/support/plan_laws.hpp"
#include "tests/support/property_cases.hpp"
#include "tests/support/random_networks.hpp"
#include "tests/support/random_options.hpp"
#include "tests/support/test.hpp"
#include "tests/support/waiting_copies.hpp"

namespace ooc::test {
namespace {

struct RoundsCase {
  Workload workload;
  LinkSpec link;
  const Schedule& schedule;
  ScheduleOptions options = {};
  WaitingRuns* waiting = nullptr;

  [[nodiscard]] CostTable costs_at(std::int64_t batch) const {
    CostTable costs = workload_of_text(workload.text, batch).costs;
    set_link(costs, link);
    return costs;
  }
  [[nodiscard]] PlanResult plan(const CostTable& costs, Bytes budget) const {
    const auto evaluate = [&](const Plan& plan) {
      const Outcome outcome = simulate({.plan = plan, .costs = costs, .budget = budget});
      const auto* timeline = std::get_if<Timeline>(&outcome);
      return timeline == nullptr ? Trial{} : Trial{.iteration_time = timeline->iteration_time};
    };
    return schedule.make_plan({.graph = workload.graph,
                               .costs = costs,
                               .budget = budget,
                               .options = options,
                               .evaluate = evaluate});
  }
  [[nodiscard]] PlannedIteration run(SubBatch sub_batch, Bytes budget) const {
    return plan_in_rounds({.graph = workload.graph,
                           .costs = workload.costs,
                           .budget = budget,
                           .sub_batch = sub_batch,
                           .costs_at = [&](std::int64_t batch) { return costs_at(batch); },
                           .plan = [&](const CostTable& costs) { return plan(costs, budget); }});
  }
};

constexpr std::size_t kRoundsMostNaiveSteps = 800;

void check_naive(const Plan& plan, const Iteration& rounds, Bytes budget,
                 const Timeline& timeline) {
  require_naive_agrees(plan, *rounds.graph, rounds.costs, budget, timeline);
}

void check_rounds(Dice& dice, const RoundsCase& test, const Plan& plan, const Iteration& rounds,
                  Bytes budget) {
  const std::int64_t batch = test.workload.costs.batch;
  REQUIRE(rounds.rounds == (batch - 1) / rounds.sub_batch + 1);
  const std::size_t updates = test.workload.graph.tasks.size() - test.workload.graph.backward_end;
  REQUIRE(rounds.graph->tasks.size() ==
          static_cast<std::size_t>(rounds.rounds) * test.workload.graph.backward_end + updates);
  const Timeline timeline = require_run(plan, *rounds.graph, rounds.costs, budget);
  const auto bounds = all_bounds(*rounds.graph, rounds.costs, budget);
  REQUIRE(bounds.has_value());
  // Those of the first kind are for schedules that only move tensors.
  Duration bound = test.schedule.is(Trait::kRecomputes) ? bounds->compute : bounds->best();
  if (!test.schedule.is(Trait::kMovesPages)) {
    const auto mixed = bound_mixed(*rounds.graph, rounds.costs, budget, MixedEffort::kWhole);
    REQUIRE(mixed.has_value());
    bound = std::max(bound, mixed->best());
  }
  REQUIRE(bound <= timeline.iteration_time);
  if (dice.once_in(4)) {
    require_categories_add_up(plan, *rounds.graph, rounds.costs, timeline);
  }
  // The naive simulator takes time quadratic in the steps: the rounds of unrolled sequences have thousands.
  if (dice.once_in(8) && plan.steps.size() <= kRoundsMostNaiveSteps) {
    check_naive(plan, rounds, budget, timeline);
  }
  if (!test.schedule.is(Trait::kMovesPages)) {
    test.waiting->add(dice, {plan, *rounds.graph, rounds.costs, budget, bound});
  }
}

constexpr SubBatch kAuto{.kind = SubBatch::Kind::kAuto};

void check_fixed(Dice& dice, const RoundsCase& test) {
  const std::int64_t batch = test.workload.costs.batch;
  const SubBatch size{.kind = SubBatch::Kind::kSize, .samples = dice.number(1, batch)};
  const Bytes smallest = smallest_of(test.run(size, Bytes(0)).plan);
  const Bytes budget = smallest + Bytes(dice.once_in(2) ? 0 : dice.number(0, smallest.count()));
  REQUIRE(std::holds_alternative<OutOfMemory>(test.run(size, smallest - Bytes(1)).plan));
  const PlannedIteration result = test.run(size, budget);
  REQUIRE(std::holds_alternative<Plan>(result.plan));
  REQUIRE((result.iteration == nullptr) == (size.samples == batch));
  if (!result.iteration) return;
  check_rounds(dice, test, std::get<Plan>(result.plan), *result.iteration, budget);
}

void check_auto(Dice& dice, const RoundsCase& test) {
  const CostTable one = test.costs_at(1);
  const Bytes smallest = smallest_of(test.plan(one, Bytes(0)));
  if (test.schedule.name == "modnn") {
    REQUIRE(smallest == smallest_task_budget(test.workload.graph, one));
  }
  const PlanResult refused = test.run(kAuto, smallest - Bytes(1)).plan;
  REQUIRE(std::holds_alternative<OutOfMemory>(refused));
  REQUIRE(std::get<OutOfMemory>(refused).smallest_budget == smallest);
  for (const Bytes budget :
       {smallest, Bytes(dice.number(smallest.count(), 4 * smallest.count()))}) {
    const PlannedIteration result = test.run(kAuto, budget);
    REQUIRE(std::holds_alternative<Plan>(result.plan));
    if (!result.iteration) continue;
    check_rounds(dice, test, std::get<Plan>(result.plan), *result.iteration, budget);
  }
}

TEST_CASE("an iteration in rounds keeps the laws of schedules") {
  static constexpr NetworkForm kForms[] = {NetworkForm::kMixedChain, NetworkForm::kRealChain,
                                           NetworkForm::kGraph, NetworkForm::kSequence};
  WaitingRuns waiting;
  for_each_seed(300, [&](std::uint64_t seed) {
    Dice dice(seed);
    const std::string text = random_network_text(dice, kForms[dice.index(std::size(kForms))], 10);
    const Schedule& schedule = *schedules()[dice.index(schedules().size())];
    RoundsCase test{
        workload_of_text(text, dice.number(2, 12)), {}, schedule, random_options(dice, schedule)};
    test.options.lms_action = LmsAction::kSwap;  // others plan about another graph
    test.waiting = &waiting;
    test.workload.text = text;
    test.link = random_link(dice, test.workload);
    set_link(test.workload.costs, test.link);
    INFO(rerun("property_rounds", seed));
    INFO("schedule ", schedule.name, ", batch ", test.workload.costs.batch, ", options ",
         options_text(schedule, test.options));
    INFO(text);
    check_fixed(dice, test);
    check_auto(dice, test);
  });
  waiting.check_rare(1000);
}

}  // namespace
}  // namespace ooc::test
