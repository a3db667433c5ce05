// Measured spans become a timeline with causes, and that beside the predicted one an error with causes.
#include "tests/support/test.hpp"
#include "tests/unit/replay_example.hpp"

using namespace ooc;
using namespace ooc::test;

namespace {

Duration all_of(const Timeline& timeline) {
  Duration sum = timeline.busy;
  for (const Duration stall : timeline.stall_totals) sum += stall;
  return sum;
}

std::string replay_table(const ReplayReport& report) {
  return find_writer("table")->replay(report, {});
}

}  // namespace

TEST_CASE(
    "measured gaps get the causes that the engine would give them, and what is left is launch") {
  const Timeline timeline = MeasuredExample{}.timeline();
  CHECK(timeline.spans[0].start == us(0));
  CHECK(timeline.iteration_time == us(573));
  CHECK(timeline.busy == us(452));                            // 52 + 50 + 50 + 100 + 100 + 100
  CHECK(stall_of(timeline, StallCause::kSwapIn) == us(116));  // 354 to 470
  CHECK(stall_of(timeline, StallCause::kLaunch) == us(5));    // 52 to 54, 470 to 473
  CHECK(all_of(timeline) == timeline.iteration_time);
  CHECK(timeline.peak_near == Bytes(4100));
}

TEST_CASE("a wait for memory belongs to the copy out that freed it") {
  MeasuredExample slow;
  // cF waits for the copy out, to 262, and starts at 263; everything behind it moves by 159.
  slow.memory_waits = {{StepId{3}, StepId{1}}};
  slow.spans_us = {{0, 52},    {52, 262},  {54, 104},  {263, 313},
                   {313, 413}, {413, 621}, {413, 513}, {624, 724}};
  const Timeline timeline = slow.timeline();
  CHECK(stall_of(timeline, StallCause::kSwapOut) == us(158));  // 104 to 262
  CHECK(stall_of(timeline, StallCause::kLaunch) == us(6));     // 2, 262 to 263, 621 to 624
  CHECK(stall_of(timeline, StallCause::kSwapIn) == us(108));   // 513 to 621
  CHECK(all_of(timeline) == timeline.iteration_time);

  slow.memory_waits = {{StepId{3}, StepId{0}}};  // long over: it cost nothing
  CHECK(stall_of(slow.timeline(), StallCause::kSwapOut) == us(0));
  CHECK(stall_of(slow.timeline(), StallCause::kLaunch) == us(2 + 159 + 3));
}

TEST_CASE("a step that seems to start before its copy ended starts with it") {
  MeasuredExample noisy;
  noisy.spans_us[7] = {479, 583};  // the copy ends at 480
  const Timeline timeline = noisy.timeline();
  CHECK(timeline.spans[7].start == us(470));
  CHECK(stall_of(timeline, StallCause::kLaunch) == us(2));
  CHECK(all_of(timeline) == us(573));
}

TEST_CASE("the tail belongs to the copies that are still under way") {
  MeasuredExample late;
  late.spans_us[1] = {62, 600};  // and the copy in with all behind it later
  late.spans_us[5] = {600, 650};
  late.spans_us[7] = {650, 660};
  const Timeline timeline = late.timeline();
  CHECK(timeline.iteration_time == us(650));
  CHECK(all_of(timeline) == us(650));
}

TEST_CASE("the error is that of the median and adds up by cause") {
  const ReplayReport report = MeasuredExample{}.report();
  CHECK(report.iteration.predicted == us(550));
  CHECK(report.iteration.measured == us(573));
  CHECK(report.min == us(570));
  CHECK(report.max == us(590));
  CHECK(report.error == doctest::Approx((550.0 - 573.0) / 573.0));
  CHECK(report.spread == doctest::Approx(20.0 / 573.0));
  Duration sum = report.busy.difference();
  for (const auto& stall : report.stalls) sum += stall.difference();
  CHECK(report.busy.difference() == us(2));
  CHECK(sum == us(23));
  CHECK(report.issue == us(4));
  CHECK(report.host == us(582));
}

TEST_CASE("an even number of iterations has the mean of the middle two as median") {
  MeasuredExample example;
  example.iterations_us = {570, 573, 580, 600};
  CHECK(example.report().iteration.measured == Duration(576'500));
}

TEST_CASE("work is summed by kind, with what was longer and what was shorter apart") {
  MeasuredExample example;
  example.spans_us[6] = {264, 361};  // bB 3 us shorter
  const ReplayReport report = example.report();
  CHECK(report.work[0].steps == 6);
  CHECK(report.work[0].longer == us(2));
  CHECK(report.work[0].shorter == us(-3));
  CHECK(report.work[1].steps == 0);
  CHECK(report.work[2].time.predicted == us(200));
  CHECK(report.work[2].time.measured == us(210));
  CHECK(report.work[2].bytes == Bytes(1000));
  CHECK(average_rate(report.work[2].bytes, report.work[2].time.predicted) ==
        BytesPerSecond(5'000'000));  // 1000 B in 200 us
  CHECK_FALSE(average_rate(Bytes(5), Duration(0)).has_value());
}

TEST_CASE("the steps furthest off come first, by their medians") {
  const ReplayReport report = MeasuredExample{}.report();
  CHECK(largest_deviations(report, 9) == std::vector<std::size_t>{1, 5, 0});  // 10, 8, 2
  CHECK(largest_deviations(report, 1) == std::vector<std::size_t>{1});
}

TEST_CASE("the tolerance bounds the error in both directions, and only if it was asked for") {
  MeasuredExample example;  // -4.01 %
  CHECK(example.report().within_tolerance());
  CHECK(example.report(0.05).within_tolerance());
  CHECK_FALSE(example.report(0.04).within_tolerance());
  example.iterations_us = {530};  // +3.8 %
  CHECK(example.report(0.04).within_tolerance());
  CHECK_FALSE(example.report(0.03).within_tolerance());
}

TEST_CASE("the table says how far off, why, and where most") {
  const std::string text = replay_table(MeasuredExample{}.report(0.03));
  CHECK(has(text, "predicted  550.0 us"));
  CHECK(has(text, "-4.0 %  predicted too fast; more than 3.0 %"));
  CHECK(has(text, "waiting for copies to near memory"));
  CHECK(has(text, "+16.00 us"));
  CHECK(has(text, "Steps furthest off (3 of 8)"));
  CHECK_FALSE(has(text, "stub"));
  MeasuredExample stub;
  ReplayReport report = stub.report();
  report.run.backend = "stub";
  report.run.notes = {"a note"};
  report.mode = "busy";
  const std::string more = replay_table(report);
  CHECK(has(more, "not times of a real machine"));
  CHECK(has(more, "a note"));
  CHECK(has(more, "spin or copy"));
}
