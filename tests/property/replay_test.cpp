// Can any execution of a replay program hold more than the budget, get stuck, or take another time than was
// simulated where each step lasts as long as simulated? For random networks, every schedule, any
// budget and link: with the simulated durations every step starts and ends exactly as simulated; and in any
// order of events that queues and waits allow, memory stays within what the program was made for,
// no two resident blocks share an address in the arena or a byte of a page, every copy finds a block of its tensor, and all steps end.
// The same for random plans that mean nothing as training but use every feature of the engine.
#include <doctest/doctest.h>

#include <algorithm>

#include "simulator/engine/simulate.hpp"
#include "simulator/plan/bounds.hpp"
#include "simulator/replay/memory_order.hpp"
#include "simulator/replay/page_pool.hpp"
#include "simulator/replay/replay_program.hpp"
#include "simulator/replay/step_waits.hpp"
#include "simulator/schedules/schedule.hpp"
#include "tests/support/property_cases.hpp"
#include "tests/support/random_networks.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/replay_executor.hpp"

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

void check_any_order(Dice& dice, const Plan& plan, const Waits& waits, Bytes limit,
                     const Places& places) {
  for (int run = 0; run < 4; ++run) {
    const RandomRun random = run_in_random_order(plan, waits, places, dice);
    REQUIRE(random.finished);
    REQUIRE(random.peak <= limit);
    REQUIRE(random.overlap == "");
  }
}

Places check_places(const ReplayProgram& program, const Timeline& timeline) {
  Places places;
  for (const ReplayBlock& block : program.blocks) {
    REQUIRE(block.offset.count() % 512 == 0);
    REQUIRE(block.offset + block.bytes <= program.arena_bytes);
    const std::int64_t begin = block.offset.count();
    places.push_back({{begin, begin + block.bytes.count()}});
  }
  REQUIRE(program.static_bytes + program.arena_bytes >= timeline.peak_near);
  Bytes far_end;
  for (const ReplaySlot& slot : program.slots) {
    REQUIRE(slot.offset >= far_end);
    far_end = slot.offset + slot.bytes;
  }
  REQUIRE(program.far_bytes >= far_end);
  return places;
}

/// The bytes of the pool behind each block's range of addresses.
Places check_pages(const PagePool& pool, const Plan& plan) {
  const std::int64_t page = pool.page.count();
  Places places;
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    std::int64_t skipped = pool.blocks[i].start.count();
    std::int64_t left = plan.blocks[i].bytes.count();
    REQUIRE(skipped % 512 == 0);
    REQUIRE(skipped < page);
    places.emplace_back();
    for (const PageRun& run : pool.blocks[i].runs) {
      REQUIRE(run.first + run.count <= pool.pages);
      for (std::int64_t number = run.first; number < run.first + run.count; ++number) {
        REQUIRE(left > 0);
        const std::int64_t part = std::min(left, page - skipped);
        places.back().emplace_back(number * page + skipped, number * page + skipped + part);
        left -= part;
        skipped = 0;
      }
    }
    REQUIRE(left == 0);
  }
  return places;
}

/// A pool of pages for any plan, whether it needs less than an arena or not.
void check_pool(Dice& dice, const Plan& plan, const Timeline& timeline, Bytes limit, Bytes page) {
  const MemoryOrder order = order_memory(plan, timeline, limit, page);
  const StepWaits waits = find_step_waits(plan, order);
  check_waits(plan, waits.waits);
  check_times(plan, waits.waits, timeline);
  const PagePool pool = make_page_pool(plan, order, blocks_to_place(plan, order, waits), page);
  REQUIRE(plan.static_bytes + pool.bytes() >= timeline.peak_near);
  // What no choice of pages could do without, and at most a page for each rest.
  const auto blocks = static_cast<std::int64_t>(plan.blocks.size());
  REQUIRE(order.peak_pages * page <= timeline.peak_near - plan.static_bytes + Bytes(511 * blocks));
  REQUIRE(pool.pages <= order.peak_pages + blocks);
  const Places places = check_pages(pool, plan);
  check_any_order(dice, plan, waits.waits, limit, places);
  const RandomRun run = run_in_random_order(plan, waits.waits, places, dice, page);
  REQUIRE(run.peak_pages <= order.peak_pages);
}

/// A step never touches a block of another tensor than it names.
void check_contents(const ReplayProgram& program, const Plan& plan, const TrainingGraph& graph) {
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const ReplayStep& step = program.steps[i];
    const std::int32_t object = plan.steps[i].object;
    if (step.kind != StepKind::kCompute) {
      REQUIRE(program.blocks[static_cast<std::size_t>(step.block)].content == TensorId{object});
      REQUIRE(program.slots[static_cast<std::size_t>(step.slot)].tensor == TensorId{object});
      continue;
    }
    std::vector<std::int32_t> tensors;
    for (const std::int32_t block : step.reads) {
      tensors.push_back(program.blocks[static_cast<std::size_t>(block)].content->index);
    }
    std::sort(tensors.begin(), tensors.end());
    std::vector<std::int32_t> expected;
    for (const TensorId tensor : graph.reads[TaskId{object}]) expected.push_back(tensor.index);
    std::sort(expected.begin(), expected.end());
    REQUIRE(tensors == expected);
  }
}

void check_program(Dice& dice, const Workload& workload, const Plan& plan, const Timeline& timeline,
                   Bytes limit, Bytes page = Bytes(0)) {
  const ReplayProgram program =
      make_replay_program(plan, workload.graph, workload.costs, timeline, limit, page);
  Waits waits;
  for (const ReplayStep& step : program.steps) waits.push_back(step.waits);
  check_waits(plan, waits);
  check_times(plan, waits, timeline);
  check_any_order(dice, plan, waits, limit, check_places(program, timeline));
  if (program.pool) {
    REQUIRE(program.pool->bytes() < program.arena_bytes);
    check_any_order(dice, plan, waits, limit, check_pages(*program.pool, plan));
  }
  check_contents(program, plan, workload.graph);
}

TEST_CASE("a program of any plan is as fast as simulated and safe however long its steps take") {
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
    const Outcome outcome = simulate({.plan = plan, .costs = workload.costs, .budget = budget});
    const auto* finished = std::get_if<Timeline>(&outcome);
    if (finished == nullptr)
      return;  // whether a schedule may be blocked is property.schedules' to say
    const Timeline& timeline = *finished;
    check_program(dice, workload, plan, timeline, budget);
    const Bytes page(512 * (std::int64_t{1} << dice.index(8)));
    check_program(dice, workload, plan, timeline, timeline.peak_near, page);
    check_pool(dice, plan, timeline, timeline.peak_near, page);
    ++runs;
  });
  CHECK((runs > 500 || number_from("OOC_PROPERTY_CASES", 1'500) < 1'500 ||
         number_from("OOC_PROPERTY_SEED", 0) != 0));
}

TEST_CASE("waits for memory hold any plan to any limit that its simulation kept") {
  std::uint64_t runs = 0;
  for_each_seed(20'000, [&](std::uint64_t seed) {
    RandomPlan random = random_plan(seed);
    // A device that replays has a host of its own.
    for (TaskAlternative& way : random.costs.alternatives) way.issue = Duration(0);
    if (random.plan.devices != 1) return;
    // Far updates are no part of what devices replay; the program refuses them there.
    const auto is_far = [](const Step& step) { return step.kind == StepKind::kFarCompute; };
    if (std::any_of(random.plan.steps.begin(), random.plan.steps.end(), is_far)) return;
    const Outcome outcome =
        simulate({.plan = random.plan, .costs = random.costs, .budget = random.budget});
    if (!std::holds_alternative<Timeline>(outcome)) return;
    const Timeline& timeline = std::get<Timeline>(outcome);
    INFO(rerun("property_replay", seed));
    Dice dice(seed);
    for (const Bytes limit : {random.budget, timeline.peak_near}) {
      const MemoryOrder order = order_memory(random.plan, timeline, limit);
      REQUIRE(order.peak == timeline.peak_near);
      const StepWaits waits = find_step_waits(random.plan, order);
      check_waits(random.plan, waits.waits);
      check_times(random.plan, waits.waits, timeline);
      check_any_order(dice, random.plan, waits.waits, limit, {});
      // A page a block, whatever its few bytes.
      check_pool(dice, random.plan, timeline, limit, Bytes(512));
    }
    ++runs;
  });
  CHECK(runs > 0);
}

}  // namespace
}  // namespace ooc::test
