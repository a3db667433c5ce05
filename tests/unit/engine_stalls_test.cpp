// Every nanosecond in which the compute queue does no first-run task has one cause.
#include "tests/support/test.hpp"
#include "tests/unit/engine_scenario.hpp"

using namespace ooc;
using namespace ooc::test;

namespace {

/// Busy + stalls = iteration time, and the list of stalls adds up to the totals.
void check_balance(const Scenario& s) {
  Duration sum = s.timeline().busy;
  for (const Duration stall : s.timeline().stall_totals) sum += stall;
  CHECK(sum == s.timeline().iteration_time);
  Duration listed;
  for (const Stall& stall : s.timeline().stalls) {
    listed += stall.end - stall.start;
  }
  CHECK(listed + s.timeline().busy == s.timeline().iteration_time);
}

}  // namespace

TEST_CASE("no gap, no stall") {
  Scenario s;
  s.compute(10);
  s.compute(20);
  s.run();
  CHECK(s.timeline().busy.count() == 30);
  CHECK(s.timeline().stalls.empty());
  check_balance(s);
}

TEST_CASE("a gap belongs to the wait that ended last") {
  // The compute queue is free at 10; the step waits for copies that end at 25 and 40.
  Scenario s;
  s.compute(10);
  SUBCASE("a copy in: swap_in") {
    const StepId out = s.to_far({.bytes = 25});
    const StepId in = s.to_near({.bytes = 40});
    const StepId step = s.compute(5, {out, in});
    s.run();
    CHECK(s.stalled(StallCause::kSwapIn) == 30);
    REQUIRE(s.timeline().stalls.size() == 1);
    const Stall& stall = s.timeline().stalls[0];
    CHECK(stall.before == step);
    CHECK(stall.culprit == in);
    CHECK(stall.start.count() == 10);
    CHECK(stall.end.count() == 40);
  }
  SUBCASE("a copy out: swap_out") {
    const StepId out = s.to_far({.bytes = 40});
    const StepId in = s.to_near({.bytes = 25});
    s.compute(5, {out, in});
    s.run();
    CHECK(s.stalled(StallCause::kSwapOut) == 30);
    CHECK(s.timeline().stalls.at(0).culprit == out);
  }
  SUBCASE("both at once: swap_in comes first") {
    const StepId out = s.to_far({.bytes = 40});
    const StepId in = s.to_near({.bytes = 40});
    s.compute(5, {out, in});
    s.run();
    CHECK(s.stalled(StallCause::kSwapIn) == 30);
    CHECK(s.timeline().stalls.at(0).culprit == in);
  }
  check_balance(s);
}

TEST_CASE("a wait for far compute is an update") {
  Scenario s;
  const StepId there = s.far_compute(30);
  s.compute(10);
  const StepId here = s.compute(5, {there});
  s.run();
  CHECK(s.start(here) == 30);
  CHECK(s.stalled(StallCause::kUpdate) == 20);
  CHECK(s.timeline().stalls.at(0).culprit == there);
  check_balance(s);
}

TEST_CASE("a wait for far compute that ends with a copy is the copy's") {
  Scenario s;
  const StepId there = s.far_compute(30);
  const StepId in = s.to_near({.bytes = 30});
  s.compute(5, {there, in});
  s.run();
  CHECK(s.stalled(StallCause::kSwapIn) == 30);
  check_balance(s);
}

TEST_CASE("a gap from ready time to start belongs to what freed the memory") {
  // The second compute step is ready at 10 and wants 60 of 100 bytes, 50 are held.
  SUBCASE("a copy out: swap_out") {
    Scenario s;
    const StepId first = s.compute(10);
    const StepId out = s.to_far({.bytes = 15}, {first});  // 10..25
    s.takes(first, 50, {out});
    const StepId second = s.compute(5);
    s.takes(second, 60);
    s.run(100);
    CHECK(s.start(second) == 25);
    CHECK(s.stalled(StallCause::kSwapOut) == 15);
    REQUIRE(s.timeline().stalls.size() == 1);
    CHECK(s.timeline().stalls[0].culprit == out);
    CHECK(s.timeline().stalls[0].before == second);
    check_balance(s);
  }
  SUBCASE("anything else: memory") {
    Scenario s;
    const StepId first = s.compute(10);
    const StepId in = s.to_near({.bytes = 15}, {first});  // 10..25
    s.takes(in, 50, {in});
    const StepId second = s.compute(5, {first});
    s.wait(in, first);
    s.takes(second, 60);
    // The copy in is ahead in sequence, takes 50 at 10 and gives them back at 25.
    s.run(100);
    CHECK(s.start(second) == 25);
    CHECK(s.stalled(StallCause::kMemory) == 15);
    CHECK(s.timeline().stalls.at(0).culprit == in);
    check_balance(s);
  }
  SUBCASE("a copy out and a copy in at the same instant: swap_out, whichever comes first") {
    for (const bool out_first : {true, false}) {
      Scenario s;
      const StepId first = s.compute(10);
      StepId out, in;
      if (out_first) out = s.to_far({.bytes = 15}, {first});
      in = s.to_near({.bytes = 15}, {first});
      if (!out_first) out = s.to_far({.bytes = 15}, {first});
      s.takes(in, 30, {in});
      s.takes(out, 30, {out});
      const StepId second = s.compute(5);
      s.takes(second, 60);
      s.run(100);
      CHECK(s.start(second) == 25);
      CHECK(s.stalled(StallCause::kSwapOut) == 15);
      CHECK(s.timeline().stalls.at(0).culprit == out);
    }
  }
  SUBCASE("a copy out that ends at that instant but frees nothing has no part in it") {
    Scenario s;
    const StepId first = s.compute(10);
    s.to_far({.bytes = 15}, {first});
    const StepId in = s.to_near({.bytes = 15}, {first});
    s.takes(in, 50, {in});
    const StepId second = s.compute(5);
    s.takes(second, 60);
    s.run(100);
    CHECK(s.stalled(StallCause::kMemory) == 15);
  }
}

TEST_CASE("one gap may have two causes: the wait, then the memory") {
  // Free at 10. The copy in (20 ns) is waited for until 20; then 60 bytes are wanted, 50 of 100 are held
  // by the copy out until 35.
  Scenario s;
  s.compute(10);
  const StepId out = s.to_far({.bytes = 35});
  s.takes(out, 50, {out});
  const StepId in = s.to_near({.bytes = 20});
  const StepId step = s.compute(5, {in});
  s.takes(step, 60);
  s.run(100);
  CHECK(s.start(step) == 35);
  CHECK(s.stalled(StallCause::kSwapIn) == 10);
  CHECK(s.stalled(StallCause::kSwapOut) == 15);
  check_balance(s);
}

TEST_CASE("a gap before the first compute step counts from the start of the iteration") {
  Scenario s;
  const StepId in = s.to_near({.bytes = 20});
  s.compute(5, {in});
  s.run();
  CHECK(s.stalled(StallCause::kSwapIn) == 20);
  check_balance(s);
}

TEST_CASE("recompute steps are not busy time") {
  Scenario s;
  const StepId first = s.compute(10);
  const StepId again = s.recompute(7);
  const StepId last = s.compute(5);
  s.run();
  CHECK(s.timeline().busy.count() == 15);
  CHECK(s.stalled(StallCause::kRecompute) == 7);
  REQUIRE(s.timeline().stalls.size() == 1);
  CHECK(s.timeline().stalls[0].culprit == again);
  CHECK(s.timeline().stalls[0].before == last);
  CHECK(s.timeline().stalls[0].start.count() == s.end(first));
  check_balance(s);
}

TEST_CASE("a gap after the last compute step belongs to the queue that is still running") {
  // Compute ends at 10. In: 10..30 after it; out: 0..50, so 30..50 is the copy out's alone.
  Scenario s;
  const StepId last = s.compute(10);
  const StepId in = s.to_near({.bytes = 20}, {last});
  const StepId out = s.to_far({.bytes = 50});
  s.run();
  CHECK(s.time() == 50);
  CHECK(s.stalled(StallCause::kSwapIn) == 20);
  CHECK(s.stalled(StallCause::kSwapOut) == 20);
  REQUIRE(s.timeline().stalls.size() == 2);
  CHECK(s.timeline().stalls[0].culprit == in);
  CHECK(s.timeline().stalls[1].culprit == out);
  CHECK_FALSE(s.timeline().stalls[0].before.has_value());
  check_balance(s);
}

TEST_CASE("a copy in that starts while a copy out runs on takes over the gap") {
  // Compute ends at 10. Out: 0..30 and 30..50. In waits for the first: 30..40.
  Scenario s;
  s.compute(10);
  const StepId first = s.to_far({.bytes = 30});
  const StepId out = s.to_far({.bytes = 20});
  const StepId in = s.to_near({.bytes = 10}, {first});
  s.run();
  CHECK(s.start(in) == 30);
  CHECK(s.end(out) == 50);
  CHECK(s.stalled(StallCause::kSwapOut) == 20 + 10);
  CHECK(s.stalled(StallCause::kSwapIn) == 10);
  check_balance(s);
}

TEST_CASE("the causes have the names of the result format") {
  CHECK(stall_name(StallCause::kDependency) == "dependency");
  CHECK(stall_name(StallCause::kRecompute) == "recompute");
  CHECK(stall_name(StallCause::kHooks) == "hooks");
}

TEST_CASE("a step starts no earlier than the host has issued it and those before it: launch") {
  Scenario s;
  s.issued(10, 4);   // 4 to 14
  s.issued(10, 30);  // the host is there at 34
  const StepId in = s.to_near({.bytes = 50});
  const StepId last = s.issued(5, 26, {in});  // copied at 50, issued at 60
  s.run();
  CHECK(s.start(last) == 60);
  CHECK(s.time() == 65);
  CHECK(s.stalled(StallCause::kSwapIn) == 6);            // 44 to 50
  CHECK(s.stalled(StallCause::kLaunch) == 4 + 20 + 10);  // before each
  check_balance(s);
}

TEST_CASE("a host that is ahead of the device costs its first kernels only") {
  Scenario s;
  for (int i = 0; i < 5; ++i) s.issued(10, 3);
  s.run();
  CHECK(s.time() == 53);
  CHECK(s.stalled(StallCause::kLaunch) == 3);
  check_balance(s);
}
