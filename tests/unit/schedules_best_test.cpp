// Does best find what can be worked out by hand, and is it as reproducible as it says?
#include "model/base/errors.hpp"
#include "simulator/schedules/mix_search.hpp"
#include "simulator/schedules/own_options.hpp"
#include "tests/support/schedule_example.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

ScheduleOptions search_of(std::int64_t plans, std::int64_t seed = 1) {
  ScheduleOptions options;
  options.own.change().search = plans;
  options.own.change().seed = seed;
  return options;
}

// docs/formats.md, section 6: outputs a, b, c, d and the data of 1 GB, 50 ms forward, 100 ms backward, outputs saved. At 4
// GB one of them has to go while d.bw runs: a, which is wanted last.
TEST_CASE("best moves what copies hide, and computes again what they do not") {
  ScheduleExample example = worked_example("best");
  CHECK(example.time(5 * kGigabyte) == 600 * kMillisecond);
  CHECK(example.time(4 * kGigabyte) == 600 * kMillisecond);
  CHECK(example.returns(4 * kGigabyte).size() == 1);
  // In 3 GB two tasks take all of it: there is no time but between them for anything to return or to run again in.
  CHECK(example.smallest() == 3 * kGigabyte);
  CHECK(example.time(3 * kGigabyte) == worked_example("capacity").time(3 * kGigabyte));
  // A copy takes 10 s: a runs again, for 50 ms, and the data stays for it.
  example.set_rate(BytesPerSecond(100'000'000));
  CHECK(example.time(4 * kGigabyte) == 650 * kMillisecond);
  CHECK(example.returns(4 * kGigabyte).empty());
}

TEST_CASE("the same seed gives the same plan, another one may give another") {
  Dice dice(77);
  Workload workload = random_workload(dice, NetworkForm::kGraph, 40);
  const Schedule& best = *find_schedule("best");
  const auto smallest = std::get<OutOfMemory>(best.make_plan(problem_of(workload, Bytes(0))));
  set_link(workload.costs,
           {.to_far = BytesPerSecond(300'000'000), .to_near = BytesPerSecond(200'000'000)});
  const Bytes budget = *smallest.smallest_budget;
  const auto text = [&](std::int64_t seed) {
    const PlanResult made = best.make_plan(problem_of(workload, budget, search_of(400, seed)));
    return write_plan_text(std::get<Plan>(made), workload.graph, workload.costs, budget);
  };
  for (const std::int64_t seed : {1, 2, 3}) CHECK(text(seed) == text(seed));
}

TEST_CASE("a number of plans below none is refused") {
  Dice dice(5);
  Workload workload = random_workload(dice, NetworkForm::kGraph, 40);
  set_link(workload.costs,
           {.to_far = BytesPerSecond(3'000'000), .to_near = BytesPerSecond(2'000'000)});
  const Schedule& best = *find_schedule("best");
  const auto none = std::get<OutOfMemory>(best.make_plan(problem_of(workload, Bytes(0))));
  CHECK_THROWS_AS((void)best.make_plan(problem_of(workload, *none.smallest_budget, search_of(-1))),
                  SpecError);
}

}  // namespace
}  // namespace ooc::test
