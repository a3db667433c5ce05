// Is best never slower than what it chooses from, and does every plan that its search may decide on run?
#include "simulator/schedules/mix_decoder.hpp"
#include "simulator/schedules/own_options.hpp"
#include "tests/support/schedule_example.hpp"
#include "tests/support/test.hpp"
#include "tests/support/validate_plan.hpp"

namespace ooc::test {
namespace {

/// Of the same problem.
std::optional<Duration> time_of(const PlanningProblem& problem, const Schedule& schedule) {
  const PlanResult made = schedule.make_plan(problem);
  const Plan* plan = std::get_if<Plan>(&made);
  return plan == nullptr ? std::nullopt : problem.evaluate(*plan).iteration_time;
}

TEST_CASE("best is no slower than any other schedule of its class") {
  ScheduleOptions tries;
  tries.own.change().search = 20;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Dice dice(seed);
    Workload workload = random_workload(dice, NetworkForm::kGraph, 12);
    const Bytes smallest =
        *std::get<OutOfMemory>(find_schedule("best")->make_plan(problem_of(workload, Bytes(0))))
             .smallest_budget;
    set_link(workload.costs, random_link(dice, workload));
    const Bytes budget(smallest.count() + smallest.count() * dice.number(0, 8) / 10);
    const PlanningProblem problem = problem_of(workload, budget, tries);
    const auto least = time_of(problem, *find_schedule("best"));
    REQUIRE(least.has_value());
    for (const Schedule* other : schedules()) {
      if (other->is(Trait::kMovesPages) || other->name == "best") continue;
      const auto time = time_of(problem_of(workload, budget), *other);
      INFO("seed ", seed, ", ", other->name);
      CHECK((!time || *least <= *time));
    }
  }
}

TEST_CASE("where far memory has no room best takes what another schedule recomputes") {
  int cases = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Dice dice(seed);
    Workload workload = random_workload(dice, NetworkForm::kRealChain, 12);
    const auto none = find_schedule("recompute")->make_plan(problem_of(workload, Bytes(0)));
    for (const bool any_plan : {false, true}) {
      ScheduleOptions options;
      options.own.change().search = 1;
      options.any_plan = any_plan;
      PlanningProblem problem =
          problem_of(workload, *std::get<OutOfMemory>(none).smallest_budget, options);
      problem.evaluate = [evaluate = problem.evaluate](const Plan& plan) {
        const bool leaves = std::any_of(plan.steps.begin(), plan.steps.end(), [](const Step& step) {
          return step.kind == StepKind::kToFar;
        });
        return leaves ? Trial{.overflows_far = true} : evaluate(plan);
      };
      if (!time_of(problem, *find_schedule("recompute"))) continue;
      ++cases;
      CHECK_MESSAGE(time_of(problem, *find_schedule("best")), "seed ", seed);
    }
  }
  CHECK(cases > 20);
}

// Nothing that is decided may take the plan out of memory, and no plan may be quicker than what a search rejects it by.
TEST_CASE("any decisions give a plan that runs, and never sooner than expected") {
  int exact = 0;
  int plans = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Dice dice(seed);
    Workload workload =
        random_workload(dice, seed % 2 == 0 ? NetworkForm::kGraph : NetworkForm::kMixedChain, 12);
    const Bytes smallest =
        *std::get<OutOfMemory>(find_schedule("best")->make_plan(problem_of(workload, Bytes(0))))
             .smallest_budget;
    set_link(workload.costs, random_link(dice, workload));
    const Bytes budget(smallest.count() + smallest.count() * dice.number(0, 8) / 10);
    const PlanningProblem problem = problem_of(workload, budget);
    const MixFacts facts(problem, MixFacts::Algorithms::kAll, MixFacts::Idle::kAll);
    MixDecoder decoder(facts);
    for (int i = 0; i < 20; ++i) {
      Decisions decisions = keep_all(facts);
      for (std::size_t k = 0; k < facts.idle.size(); ++k) {
        const bool droppable = facts.idle[k].droppable;
        decisions.treatment[k] = static_cast<Treatment>(dice.number(0, droppable ? 3 : 1));
      }
      decisions.one_walk = dice.once_in(2);
      if (dice.once_in(3)) decisions.unused = facts.available / dice.number(4, 20);
      if (!decoder.list(decisions) || !decoder.place(decisions)) continue;
      const Duration least(decoder.least_time());
      const Plan& plan = decoder.build();
      const auto unsound = validate_plan(plan, workload.graph, workload.costs);
      REQUIRE_MESSAGE(!unsound, unsound.value_or(""), " seed ", seed);
      const auto time = problem.evaluate(plan).iteration_time;
      REQUIRE(time.has_value());
      const Bytes filled = budget - Bytes(decisions.unused);
      CHECK(problem_of(workload, filled).evaluate(plan).iteration_time.has_value());
      CHECK(least <= *time);
      CHECK(Duration(decoder.compute_time()) <= least);
      exact += least == *time ? 1 : 0;
      ++plans;
    }
  }
  CHECK(plans > 300);
  CHECK(exact * 2 > plans);  // or it would reject too little to be of use
}

}  // namespace
}  // namespace ooc::test
