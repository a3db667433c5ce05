// Can any execution of a plan on a device hold more than the budget, get stuck, or take another time than was
// simulated where each step lasts as long as simulated? For random networks, every schedule, any budget and
// link: with the simulated durations every step starts and ends exactly as simulated; and in any order of events
// that queues and waits allow, memory stays within the limit and all steps end. The same for random
// plans that mean nothing as training but use every feature of the engine.
#include "simulator/engine/simulate.hpp"
#include "simulator/plan/bounds.hpp"
#include "simulator/replay/replay_plan.hpp"
#include "simulator/schedules/schedule.hpp"
#include "tests/support/all_bounds.hpp"
#include "tests/support/property_cases.hpp"
#include "tests/support/random_networks.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/replay_executor.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

/// With trials for the schedules that search by them.
PlanResult make_plan(const Workload& workload, const Schedule& schedule, Bytes budget) {
  const auto evaluate = [&](const Plan& plan) {
    const Outcome outcome = simulate({.plan = plan, .costs = workload.costs, .budget = budget});
    const auto* timeline = std::get_if<Timeline>(&outcome);
    return timeline != nullptr ? Trial{timeline->iteration_time} : Trial{};
  };
  return schedule.make_plan(
      {.graph = workload.graph, .costs = workload.costs, .budget = budget, .evaluate = evaluate});
}

void check_waits(const Plan& plan, const Waits& waits) {
  for (std::size_t step = 0; step < waits.size(); ++step) {
    std::array<int, 3> on_queue{};
    for (const std::int32_t wait : waits[step]) {
      const auto queue = static_cast<std::size_t>(plan.steps[static_cast<std::size_t>(wait)].kind);
      REQUIRE(queue != static_cast<std::size_t>(plan.steps[step].kind));
      ++on_queue[queue];
    }
    for (const int count : on_queue) REQUIRE(count <= 1);
  }
}

void check_times(const Plan& plan, const Waits& waits, const Timeline& timeline) {
  std::vector<Duration> durations;
  for (const Span& span : timeline.spans) durations.push_back(span.end - span.start);
  const std::vector<Span> spans = run_with_durations(plan, waits, durations);
  REQUIRE(spans.size() == plan.steps.size());
  for (std::size_t step = 0; step < spans.size(); ++step) {
    INFO("step ", step);
    REQUIRE(spans[step].start == timeline.spans[step].start);
    REQUIRE(spans[step].end == timeline.spans[step].end);
  }
}

void check_any_order(Dice& dice, const Plan& plan, const Waits& waits, Bytes limit) {
  for (int run = 0; run < 4; ++run) {
    const RandomRun random = run_in_random_order(plan, waits, dice);
    REQUIRE(random.finished);
    REQUIRE(random.peak <= limit);
  }
}

/// Lines stand behind those that they wait for, and behind the line before on their queue.
void check_order(const Plan& plan, const ReplayPlan& replay) {
  REQUIRE(replay.order.size() == plan.steps.size());
  std::vector<std::size_t> line(plan.steps.size());
  for (std::size_t i = 0; i < replay.order.size(); ++i) line[replay.order[i].at()] = i;
  for (std::size_t step = 0; step < replay.waits.size(); ++step) {
    for (const std::int32_t wait : replay.waits[step]) {
      REQUIRE(line[static_cast<std::size_t>(wait)] < line[step]);
    }
  }
  for (const auto& queue : plan.queues) {
    for (std::size_t i = 1; i < queue.size(); ++i) {
      REQUIRE(line[queue[i - 1].at()] < line[queue[i].at()]);
    }
  }
}

void check_replay(Dice& dice, const Plan& plan, const Timeline& timeline, Bytes limit) {
  const ReplayPlan replay = make_replay_plan(plan, timeline, limit);
  check_waits(plan, replay.waits);
  check_order(plan, replay);
  check_times(plan, replay.waits, timeline);
  check_any_order(dice, plan, replay.waits, limit);
}

TEST_CASE("a replay of any plan is as fast as simulated and safe however long its steps take") {
  static constexpr NetworkForm kForms[] = {NetworkForm::kCustomChain, NetworkForm::kMixedChain,
                                           NetworkForm::kRealChain, NetworkForm::kGraph};
  std::uint64_t runs = 0;
  for_each_seed(1'500, [&](std::uint64_t seed) {
    Dice dice(seed);
    const NetworkForm form = kForms[dice.index(std::size(kForms))];
    Workload workload = random_workload(dice, form, dice.once_in(20) ? 40 : dice.number(1, 14));
    const Schedule& schedule = *schedules()[dice.index(schedules().size())];
    INFO(rerun("property_replay", seed));
    INFO("schedule ", schedule.name);
    INFO(workload.text);
    set_link(workload.costs, random_link(dice, workload));
    const PlanResult nothing = make_plan(workload, schedule, Bytes(0));
    if (!std::holds_alternative<OutOfMemory>(nothing)) return;
    // Some do not know the smallest budget that would do.
    const std::int64_t least =
        std::get<OutOfMemory>(nothing)
            .smallest_budget.value_or(smallest_task_budget(workload.graph, workload.costs))
            .count();
    const Bytes budget(dice.once_in(2) ? least : dice.number(least, least * 3 / 2));
    const PlanResult made = make_plan(workload, schedule, budget);
    if (!std::holds_alternative<Plan>(made)) return;
    const Plan& plan = std::get<Plan>(made);
    const Outcome outcome =
        simulate({.plan = plan, .costs = workload.costs, .budget = budget, .records = true});
    const auto* finished = std::get_if<Timeline>(&outcome);
    if (finished == nullptr)
      return;  // whether a schedule may be blocked is property.schedules' to say
    const Timeline& timeline = *finished;
    check_replay(dice, plan, timeline, budget);
    check_replay(dice, plan, timeline, timeline.peak_near);
    ++runs;
  });
  CHECK((runs > 500 || case_count(1'500) < 1'500 || number_from("OOC_PROPERTY_SEED", 0) != 0));
}

TEST_CASE("waits for memory hold any plan to any limit that its simulation kept") {
  std::uint64_t runs = 0;
  for_each_seed(20'000, [&](std::uint64_t seed) {
    RandomPlan random = random_plan(seed);
    // A device that replays has a host of its own.
    for (TaskAlternative& way : random.costs.alternatives) way.issue = Duration(0);
    // Far updates are no part of what devices replay.
    const auto is_far = [](const Step& step) { return step.kind == StepKind::kFarCompute; };
    if (std::any_of(random.plan.steps.begin(), random.plan.steps.end(), is_far)) return;
    const Outcome outcome = simulate(
        {.plan = random.plan, .costs = random.costs, .budget = random.budget, .records = true});
    if (!std::holds_alternative<Timeline>(outcome)) return;
    const Timeline& timeline = std::get<Timeline>(outcome);
    INFO(rerun("property_replay", seed));
    Dice dice(seed);
    for (const Bytes limit : {random.budget, timeline.peak_near}) {
      REQUIRE(order_memory(random.plan, timeline, limit).peak == timeline.peak_near);
      check_replay(dice, random.plan, timeline, limit);
    }
    ++runs;
  });
  CHECK(runs > 0);
}

}  // namespace
}  // namespace ooc::test
