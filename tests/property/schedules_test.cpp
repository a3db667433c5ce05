// Can any network, budget or link break a law that every schedule must keep? For random chains and graphs,
// every schedule in the list, with its defaults or with random values of its options: the plan validates; near memory stays within the budget, or the schedule says
// at plan time that it does not fit, with the exact smallest budget; the engine is never blocked; no lower
// bound exceeds the time; compute and stalls add up to the time; a free link costs nothing; the same input
// gives the same plan; and the naive simulator agrees.
#include "simulator/plan/bounds.hpp"
#include "simulator/plan/bounds_mixed.hpp"
#include "simulator/plan/plan_text.hpp"
#include "simulator/schedules/option_table.hpp"
#include "simulator/schedules/own_options.hpp"
#include "tests/support/all_bounds.hpp"
#include "tests/support/peaks.hpp"
#include "tests/support/plan_laws.hpp"
#include "tests/support/planning_problem.hpp"
#include "tests/support/property_cases.hpp"
#include "tests/support/random_networks.hpp"
#include "tests/support/random_options.hpp"
#include "tests/support/test.hpp"
#include "tests/support/waiting_copies.hpp"

namespace ooc::test {
namespace {

struct PlanCase {
  Workload workload;
  ScheduleOptions options = {};
  Bytes in_core = {};  ///< smallest budget of in-core with the same algorithms
  WaitingRuns* waiting = nullptr;
};

Bytes smallest_budget(const Workload& workload, const Schedule& schedule,
                      const ScheduleOptions& options = {}) {
  return smallest_of(schedule.make_plan(problem_of(workload, Bytes(0), options)));
}

void check_shortage(const OutOfMemory& oom, Bytes budget, Bytes smallest) {
  REQUIRE(budget < smallest);
  REQUIRE(oom.smallest_budget == smallest);
  REQUIRE_FALSE(oom.step.empty());
  Bytes held;
  Bytes last(std::numeric_limits<std::int64_t>::max());
  for (const OutOfMemory::Holder& holder : oom.holders) {
    REQUIRE(holder.bytes <= last);  // largest first
    last = holder.bytes;
    held += holder.bytes;
  }
  REQUIRE(held + oom.wanted > budget);
  REQUIRE(oom.free == std::max(Bytes(0), budget - held));
}

void check_naive(const Plan& plan, const Workload& workload, Bytes budget,
                 const Timeline& timeline) {
  const NaiveResult naive =
      require_naive_agrees(plan, workload.graph, workload.costs, budget, timeline);
  for (std::size_t i = 0; i < timeline.spans.size(); ++i) {
    REQUIRE(naive.spans[i].start == timeline.spans[i].start.count());
    REQUIRE(naive.spans[i].end == timeline.spans[i].end.count());
  }
}

/// Of schedules that only move tensors both kinds of bounds hold; pages are no whole tensors.
Duration bound_of(const Workload& workload, Bytes budget, const Schedule& schedule) {
  const auto bounds = all_bounds(workload.graph, workload.costs, budget);
  REQUIRE(bounds.has_value());
  REQUIRE(bounds->compute <= bounds->cut);
  REQUIRE(bounds->link <= bounds->cut);
  REQUIRE(bounds->cut <= bounds->windows);
  // They take longer than all else here, and property.best has them in every case.
  const bool looked_at = budget.count() % 8 == 0 && !schedule.is(Trait::kMovesPages);
  if (!looked_at) return schedule.is(Trait::kRecomputes) ? bounds->compute : bounds->best();
  const bool whole = budget.count() % 64 == 0;
  const auto mixed = bound_mixed(workload.graph, workload.costs, budget,
                                 whole ? MixedEffort::kWhole : MixedEffort::kDivisible);
  REQUIRE(mixed.has_value());
  REQUIRE(mixed->compute >= bounds->compute);
  return schedule.is(Trait::kRecomputes) ? mixed->best() : std::max(mixed->best(), bounds->best());
}

/// Sum of the tasks' times by the algorithms that the plan runs them with.
Duration planned_compute(const CostTable& costs, const Plan& plan) {
  Duration sum;
  for (const Step& step : plan.steps) {
    if (step.kind == StepKind::kCompute && !step.recompute) sum += costs[step.alternative].time;
  }
  return sum;
}

/// The same of tasks that run again: the one thing that a free link does not make free.
Duration planned_recompute(const CostTable& costs, const Plan& plan) {
  Duration sum;
  for (const Step& step : plan.steps) {
    if (step.recompute) sum += costs[step.alternative].time;
  }
  return sum;
}

Duration run(const Workload& workload, const Schedule& schedule, const Plan& plan, Bytes budget,
             bool naive) {
  const Timeline timeline = require_run(plan, workload.graph, workload.costs, budget);
  REQUIRE(timeline.busy == planned_compute(workload.costs, plan));
  const Duration stalls =
      std::accumulate(timeline.stall_totals.begin(), timeline.stall_totals.end(), Duration(0));
  REQUIRE(timeline.busy + stalls == timeline.iteration_time);
  REQUIRE(timeline.stall_totals[static_cast<std::size_t>(StallCause::kRecompute)] ==
          planned_recompute(workload.costs, plan));
  REQUIRE(bound_of(workload, budget, schedule) <= timeline.iteration_time);
  if (naive) {
    check_naive(plan, workload, budget, timeline);
    require_peaks_add_up(plan, workload.graph, workload.costs, timeline);
  }
  return timeline.iteration_time;
}

bool moves_only_what_it_must(const Schedule& schedule, const ScheduleOptions& options) {
  if (!schedule.is(Trait::kMovesOnlyWhatItMust)) return false;
  const ScheduleOptions defaults;
  const auto table = schedule_option_table();
  return std::none_of(table.begin(), table.end(), [&](const ScheduleOption& option) {
    return option.says_how_much && reads(schedule, option.name) &&
           option.field.write(option, options) != option.field.write(option, defaults);
  });
}

/// One budget, one link: the schedule says no at the right place, or all laws hold.
void check_run(Dice& dice, const PlanCase& test, const Schedule& schedule, Bytes budget,
               Bytes smallest) {
  const PlanningProblem problem = problem_of(test.workload, budget, test.options);
  const PlanResult result = schedule.make_plan(problem);
  if (const auto* oom = std::get_if<OutOfMemory>(&result)) {
    return check_shortage(*oom, budget, smallest);
  }
  REQUIRE(budget >= smallest);
  const Plan& plan = std::get<Plan>(result);
  const Duration time = run(test.workload, schedule, plan, budget, dice.once_in(8));
  if (!schedule.is(Trait::kMovesPages) && !schedule.is(Trait::kMovesNothing) && dice.once_in(4)) {
    const Workload& workload = test.workload;
    test.waiting->add(
        dice, {plan, workload.graph, workload.costs, budget, bound_of(workload, budget, schedule)});
  }
  if (moves_only_what_it_must(schedule, test.options) && budget >= test.in_core) {
    REQUIRE(time == planned_compute(test.workload.costs, plan));
    REQUIRE(plan.steps.size() == test.workload.graph.tasks.size());
  }
  if (schedule.name == "modnn") {
    REQUIRE(smallest == smallest_task_budget(test.workload.graph, test.workload.costs));
  }
  if (schedule.is(Trait::kMovesNothing)) {
    REQUIRE(time == planned_compute(test.workload.costs, plan) +
                        planned_recompute(test.workload.costs, plan));
  }
  if (dice.once_in(16)) {
    const PlanResult again = schedule.make_plan(problem);
    REQUIRE(
        write_plan_text(std::get<Plan>(again), test.workload.graph, test.workload.costs, budget) ==
        write_plan_text(plan, test.workload.graph, test.workload.costs, budget));
  }
}

void check_free_link(PlanCase& test, const Schedule& schedule, Bytes budget) {
  set_link(test.workload.costs, {});
  const PlanResult result = schedule.make_plan(problem_of(test.workload, budget, test.options));
  REQUIRE(std::holds_alternative<Plan>(result));
  const Plan& plan = std::get<Plan>(result);
  REQUIRE(run(test.workload, schedule, plan, budget, false) ==
          planned_compute(test.workload.costs, plan) +
              planned_recompute(test.workload.costs, plan));
}

void check_schedule(Dice& dice, PlanCase& test, const Schedule& schedule) {
  const Workload& workload = test.workload;
  const Bytes smallest = smallest_budget(workload, schedule, test.options);
  REQUIRE(smallest >= smallest_task_budget(workload.graph, workload.costs));
  if (schedule.name == "superneurons") {  // what both can move, each may have away between its uses
    REQUIRE(smallest == smallest_budget(workload, *find_schedule("capacity"), test.options));
  }
  set_link(test.workload.costs, random_link(dice, workload));
  check_run(dice, test, schedule, smallest, smallest);
  check_run(dice, test, schedule, smallest - Bytes(1), smallest);
  const std::int64_t highest = std::max(smallest, test.in_core).count() * 9 / 8 + 2;
  check_run(dice, test, schedule, Bytes(dice.number(smallest.count(), highest)), smallest);
  check_run(dice, test, schedule, Bytes(dice.number(smallest.count() / 2, highest)), smallest);
  if (dice.once_in(4)) check_free_link(test, schedule, smallest);
}

TEST_CASE("every schedule keeps its laws on any network, budget and link") {
  static constexpr NetworkForm kForms[] = {NetworkForm::kCustomChain, NetworkForm::kMixedChain,
                                           NetworkForm::kRealChain,   NetworkForm::kGraph,
                                           NetworkForm::kGraph,       NetworkForm::kSequence};
  const Schedule* in_core = find_schedule("in-core");
  REQUIRE(in_core != nullptr);
  WaitingRuns waiting;
  for_each_seed(10'000, [&](std::uint64_t seed) {
    Dice dice(seed);
    const NetworkForm form = kForms[dice.index(std::size(kForms))];
    PlanCase test{random_workload(dice, form, dice.once_in(20) ? 60 : dice.number(1, 14))};
    test.waiting = &waiting;
    // A schedule of this list per case, all of them every now and then: as many networks as possible.
    const Schedule& one = *schedules()[dice.index(schedules().size())];
    for (const Schedule* schedule : schedules()) {
      if (schedule != &one && seed % 8 != 0) continue;
      INFO(rerun("property_schedules", seed));
      INFO("schedule ", schedule->name);
      INFO(test.workload.text);
      test.options = random_options(dice, *schedule);
      // Others plan about another graph: compression_test.cpp.
      test.options.lms_action = LmsAction::kSwap;
      INFO("options ", options_text(*schedule, test.options));
      test.in_core = smallest_budget(test.workload, *in_core, test.options);
      check_schedule(dice, test, *schedule);
    }
  });
  waiting.check_rare(1000);
}

}  // namespace
}  // namespace ooc::test
