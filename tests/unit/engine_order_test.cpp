// When does a step start? Each rule at its exact instant: one nanosecond before, not yet; then, yes.
#include "model/base/errors.hpp"
#include "tests/support/reference_workload.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/engine_scenario.hpp"

using namespace ooc;
using namespace ooc::test;

TEST_CASE("an empty plan takes no time") {
  Scenario s;
  s.run();
  CHECK(s.time() == 0);
}

TEST_CASE("a step starts when the step before it on the queue ends") {
  Scenario s;
  s.compute(10);
  const StepId second = s.compute(5);
  s.run();
  CHECK(s.start(second) == 10);
  CHECK(s.time() == 15);
}

TEST_CASE("a step starts when the last of its waits ends, queues run side by side") {
  // The copy takes 20 ns at 1 GB/s; the compute step waits for it though its queue is free at 10.
  for (const std::int64_t bytes : {9, 10, 11, 20}) {
    CAPTURE(bytes);
    Scenario s;
    s.compute(10);
    const StepId copy = s.to_near({.bytes = bytes});
    const StepId next = s.compute(5, {copy});
    s.run();
    CHECK(s.start(copy) == 0);
    CHECK(s.start(next) == std::max<std::int64_t>(10, bytes));
  }
}

TEST_CASE("a queue is in order: a step that could run waits behind one that cannot") {
  Scenario s;
  const StepId slow = s.to_near({.bytes = 30});
  const StepId first = s.compute(1, {slow});
  const StepId second = s.compute(1);
  s.run();
  CHECK(s.start(first) == 30);
  CHECK(s.start(second) == 31);
}

TEST_CASE("steps of zero length end in a further round of the same instant") {
  // 0: a (0 ns) on compute; b on to_far waits for a; c on compute waits for b: all at 10.
  Scenario s;
  s.compute(10);
  const StepId a = s.compute(0);
  const StepId b = s.to_far({.bytes = 0}, {a});
  const StepId c = s.compute(0, {b});
  s.run();
  for (const StepId step : {a, b, c}) {
    CHECK(s.start(step) == 10);
    CHECK(s.end(step) == 10);
  }
  CHECK(s.timeline().stalls.empty());
}

TEST_CASE("a step takes its memory when it starts and gives it back when its releaser ends") {
  // The copy in needs 60 of 100 bytes; the compute step holds 50 until it ends at 10.
  for (const std::int64_t budget : {109, 110}) {
    CAPTURE(budget);
    Scenario s;
    const StepId hold = s.compute(10);
    s.takes(hold, 50, {hold});
    const StepId copy = s.to_near({.bytes = 5});
    s.takes(copy, 60);
    s.run(budget);
    CHECK(s.start(copy) == (budget == 109 ? 10 : 0));
    CHECK(s.timeline().peak_near == Bytes(budget == 109 ? 60 : 110));
  }
}

TEST_CASE("a block is freed when the last of its releasers ends, not the first") {
  Scenario s;
  const StepId make = s.compute(10);
  const StepId out = s.to_far({.bytes = 5}, {make});  // 10..15
  const StepId read = s.compute(20);                  // 10..30
  s.takes(make, 50, {out, read});
  const StepId next = s.to_near({.bytes = 1}, {make});
  s.takes(next, 51);
  s.run(100);
  CHECK(s.end(out) == 15);
  CHECK(s.start(next) == 30);
}

TEST_CASE("at one instant ends come before releases, releases before starts") {
  // At 10 the compute step ends and frees 100 of 100 bytes; the copy in and the next compute step both
  // start at 10 although each needs half of it.
  Scenario s;
  const StepId first = s.compute(10);
  s.takes(first, 100, {first});
  const StepId copy = s.to_near({.bytes = 3});
  s.takes(copy, 50);
  const StepId second = s.compute(5);
  s.takes(second, 50);
  s.run(100);
  CHECK(s.start(copy) == 10);
  CHECK(s.start(second) == 10);
}

TEST_CASE("acquires are all or nothing: half of them are not taken early") {
  Scenario s;
  const StepId hold = s.compute(10);
  s.takes(hold, 60, {hold});
  const StepId both = s.to_near({.bytes = 1});  // wants 30 + 30, free are 40
  s.takes(both, 30);
  s.takes(both, 30);
  const StepId small = s.to_far({.bytes = 1});  // 40 are still free for it
  s.takes(small, 40, {small});
  s.run(100);
  CHECK(s.start(small) == 0);
  CHECK(s.start(both) == 10);
}

TEST_CASE("heads blocked on memory are retried by ready time, then sequence") {
  SUBCASE("the one that was ready first goes first, though it is later in sequence") {
    Scenario s;
    const StepId hold = s.compute(20);
    s.takes(hold, 100, {hold});
    const StepId gate = s.to_far({.bytes = 10});         // 0..10
    const StepId late = s.to_far({.bytes = 5}, {gate});  // ready at 10
    s.takes(late, 60, {late});
    const StepId early = s.to_near({.bytes = 5});  // ready at 0
    s.takes(early, 60, {early});
    s.run(100);
    CHECK(s.start(early) == 20);
    CHECK(s.start(late) == 25);
  }
  SUBCASE("ready at the same time: the lower sequence number") {
    Scenario s;
    const StepId hold = s.compute(20);
    s.takes(hold, 100, {hold});
    const StepId first = s.to_near({.bytes = 5});
    s.takes(first, 60, {first});
    const StepId second = s.to_far({.bytes = 5});
    s.takes(second, 60, {second});
    s.run(100);
    CHECK(s.start(first) == 20);
    CHECK(s.start(second) == 25);
  }
}

TEST_CASE("a later head that fits passes an earlier one that does not") {
  // At 10, 50 of 100 bytes come free: the copy in (ready at 0) wants 80, the copy out (ready at 0, later
  // in sequence) wants 40 and goes; the copy in has to wait for it, until 10 + 7, and for the rest.
  Scenario s;
  const StepId first = s.compute(10);
  s.takes(first, 50, {first});
  const StepId second = s.compute(20);
  s.initially(50, {second});
  const StepId big = s.to_near({.bytes = 1});
  s.takes(big, 80);
  const StepId small = s.to_far({.bytes = 7});
  s.takes(small, 40, {small});
  s.run(100);
  CHECK(s.start(small) == 10);
  CHECK(s.start(big) == 30);
}

TEST_CASE("a run that cannot go on names the head that was ready first, and who holds the memory") {
  // 100 bytes: 30 are held from the start, 50 by the compute step's block that only the copy out frees,
  // which waits for a compute step that wants 40.
  Scenario s;
  const BlockId input = s.initially(30);
  const StepId first = s.compute(10);
  const BlockId held = s.takes(first, 50);
  const StepId second = s.compute(10);
  s.takes(second, 40);
  const StepId copy = s.to_near({.bytes = 1}, {first});
  s.takes(copy, 21);
  s.run(100);
  const Blocked& blocked = s.blocked();
  CHECK(blocked.step == second);
  CHECK(blocked.wanted == Bytes(40));
  CHECK(blocked.free == Bytes(20));
  CHECK(blocked.largest_hole == Bytes(20));
  CHECK(blocked.holders == std::vector<BlockId>{held, input});
}

TEST_CASE("a wait for a step that memory never lets start is reported as that step's") {
  Scenario s;
  const StepId copy = s.to_near({.bytes = 1});
  s.takes(copy, 101);
  s.compute(10, {copy});
  s.run(100);
  CHECK(s.blocked().step == copy);
}

TEST_CASE("blocks resident from the start must fit") {
  for (const std::int64_t budget : {99, 100}) {
    Scenario s;
    const StepId only = s.compute(10);
    s.initially(100, {only});
    const Outcome& outcome = s.run(budget);
    CHECK(std::holds_alternative<Blocked>(outcome) == (budget == 99));
  }
}

TEST_CASE("a plan that waits on itself is our bug, not out of memory") {
  Scenario s;
  const StepId a = s.compute(1);
  const StepId b = s.to_far({.bytes = 1}, {a});
  s.wait(a, b);
  CHECK_THROWS_AS(s.run(), InternalError);
}

TEST_CASE("an iteration longer than 146 years is refused") {
  Scenario s;
  for (int i = 0; i < 600; ++i) s.compute(kMaxTimeNs);  // 600 x 2^53 > 2^62
  CHECK_THROWS_AS(s.run(), SpecError);
}

TEST_CASE("the reference workload takes 7,597,552 ns, as in every other engine") {
  const Plan plan = reference_plan(kReferenceLayers);
  const CostTable costs = reference_costs(ReferenceDurations(kReferenceLayers));
  // Its windows keep at most four blocks near at a time: 400 bytes change nothing, 399 do.
  const Outcome ample = simulate({.plan = plan, .costs = costs, .budget = Bytes(1 << 30)});
  CHECK(std::get<Timeline>(ample).iteration_time.count() == kReferenceMakespan);
  const Outcome tight = simulate({.plan = plan, .costs = costs, .budget = Bytes(400)});
  CHECK(std::get<Timeline>(tight).iteration_time.count() == kReferenceMakespan);
  CHECK(std::get<Timeline>(tight).peak_near == Bytes(400));
  const Outcome tighter = simulate({.plan = plan, .costs = costs, .budget = Bytes(399)});
  CHECK(std::get<Timeline>(tighter).iteration_time.count() > kReferenceMakespan);
}
