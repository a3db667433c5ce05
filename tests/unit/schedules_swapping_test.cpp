// Are swap-in-out and lms right where the numbers can be redone by hand? Both choose some tensors to
// swap and when each comes back; the examples show which, after which task, and what it costs.
#include "model/base/errors.hpp"
#include "simulator/schedules/own_options.hpp"
#include "tests/support/schedule_example.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

std::string layer(const std::string& name, int bytes, const std::string& saves = "output") {
  return R"({"name": ")" + name + R"(", "type": "custom", "output_shape": [)" +
         std::to_string(bytes) +
         R"(], "forward_time": "10 ns", "backward_time": "20 ns", "saves": ")" + saves + R"("})";
}

/// Layers of the given sizes in words; data has one word. A word takes 10 ns to copy.
ScheduleExample chain(const char* schedule, const std::string& layers) {
  ScheduleExample example{workload_of_text(tiny::network(layers, "[1]"), 1),
                          find_schedule(schedule)};
  example.set_rate(BytesPerSecond(400'000'000));
  return example;
}

// Five layers a b c d e with outputs of 2, 1, 4, 1 and 1 words. Words that the tasks need:
//
//     task             a.fw b.fw c.fw d.fw e.fw e.bw d.bw c.bw b.bw a.bw
//     none swapped        3    3    7    8    9   10   13   12    6    4
//     a                   3    3    5    6    7    8   11   10    4    4
//     a b                 3    3    5    5    6    7   10    9    4    4
//     a b c               3    3    5    5    2    3    6    9    4    4
//     a b c d             3    3    5    5    2    2    6    9    4    4
//     ends, ns           10   20   30   40   50   70   90  110  130  150
//
// (d.bw: a b c d and the gradients of d and c: 2+1+4+1+1+4. c.bw: a b c, gradients of c and b.)
ScheduleExample uneven_chain(const char* schedule) {
  return chain(schedule, layer("a", 2) + "," + layer("b", 1) + "," + layer("c", 4) + "," +
                             layer("d", 1) + "," + layer("e", 1));
}

TEST_CASE("swap-in-out keeps what is written last and moves nothing where everything fits") {
  const ScheduleExample example = worked_example("swap-in-out");
  CHECK(example.returns(5 * kGigabyte).empty());
  CHECK(example.time(5 * kGigabyte) == 600 * kMillisecond);  // 4 x 50 + 4 x 100
  // c and b stay. a is needed at 500 ms and takes 100: c.backward ends at 400.
  CHECK(example.returns(4 * kGigabyte) == Names{"a after c.backward"});
  CHECK(example.time(4 * kGigabyte) == 600 * kMillisecond);
  CHECK(example.smallest() == 3 * kGigabyte);
  // b could come back after d.backward (300 ms), but c.backward needs all 3 GB; a beside b.backward
  // would be a fourth. Out: a 50..150, b 150..250; forward ends at 200, but d.backward waits until b is
  // out: 250..350, c.backward ..450; in: b 450..550, b.backward 550..650; a 650..750, a.backward 750..850.
  CHECK(example.returns(3 * kGigabyte) == Names{"b after c.backward", "a after b.backward"});
  CHECK(example.time(3 * kGigabyte) == 850 * kMillisecond);
}

TEST_CASE("swap-in-out: a threshold keeps no more than it says, each return just in time") {
  const ScheduleExample example = worked_example("swap-in-out");
  ScheduleOptions options;
  options.own.change().keep_bytes = Bytes(0);
  // Latest starts: a 500-100 = 400, b 400-100 = 300, c 300-100 = 200 ms.
  CHECK(example.returns(16 * kGigabyte, options) ==
        Names{"c after d.forward", "b after d.backward", "a after c.backward"});
  // Out until 350 (50 + 3 x 100), c in 350..450, c.backward ..550, meanwhile b in 450..550;
  // b.backward 550..650 beside a in; a.backward 650..750.
  CHECK(example.time(16 * kGigabyte, options) == 750 * kMillisecond);
  options.own.change().keep_bytes = kGigabyte;
  CHECK(example.returns(16 * kGigabyte, options) ==
        Names{"b after d.backward", "a after c.backward"});
  options.own.change().keep_bytes = 2 * kGigabyte - Bytes(1);
  CHECK(example.returns(16 * kGigabyte, options).size() == 2);
  CHECK(example.smallest(options) == 3 * kGigabyte);
}

TEST_CASE("swap-in-out times a return as if it were alone, but for all that one task brings back") {
  // A copy takes 200 ms: a must start at 500-200 = 300 (d.backward), b at 400-200 = 200 (d.forward), though a's copy
  // is behind it.
  const ScheduleExample slow = worked_example("swap-in-out", 5);
  ScheduleOptions options;
  options.own.change().keep_bytes = kGigabyte;
  CHECK(slow.returns(16 * kGigabyte, options) == Names{"b after d.forward", "a after d.backward"});
  // Out: a 50..250, b 250..450; in: b 450..650, b.backward ..750; a 650..850, a.backward ..950.
  CHECK(slow.time(16 * kGigabyte, options) == 950 * kMillisecond);
  // c.backward reads b and c, 10 and 30 ns to copy, and begins at 90: both by 50, where e.forward ends
  // (b alone: 80, e.backward). d by 70-10, a by 130-10.
  const ScheduleExample example =
      chain("swap-in-out", layer("a", 1) + "," + layer("b", 1) + "," + layer("c", 3, "both") + "," +
                               layer("d", 1) + "," + layer("e", 1));
  options.own.change().keep_bytes = Bytes(0);
  CHECK(example.returns(words(100), options) ==
        Names{"d after e.forward", "c after e.forward", "b after e.forward", "a after c.backward"});
}

TEST_CASE("swap-in-out on five uneven layers") {
  const ScheduleExample example = uneven_chain("swap-in-out");
  // 10 words: d stays (3 at e.bw), c stays (10 at d.bw), b would be the eleventh there. Latest
  // starts: a 130-20 = 110 (c.bw), b 110-10 = 100 (d.bw, which ends at 90).
  CHECK(example.returns(words(10)) == Names{"b after d.backward", "a after c.backward"});
  CHECK(example.time(words(10)) == Duration(150));  // 5 x 10 + 5 x 20
  // 9 words: only d stays. c should start at 90-40 = 50, with e.forward's end, but there is room
  // for its 4 words only after d.bw (6), for b only after c.bw (9); a as before.
  CHECK(example.returns(words(9)) ==
        Names{"c after d.backward", "b after c.backward", "a after c.backward"});
  // Out: a 10..30, b 30..40, c 40..80. d.bw needs 6 beside c's 4, so it waits: 80..100. c in
  // 100..140, c.bw ..160, b in ..170, b.bw 170..190 beside a in 170..190, a.bw ..210.
  CHECK(example.time(words(9)) == Duration(210));
  CHECK(example.smallest() == words(9));
}

TEST_CASE("lms swaps the fewest tensors that fit, longest slack first") {
  const ScheduleExample example = uneven_chain("lms");
  // Slack: a 9-1 = 8, b 8-2 = 6, c 7-3 = 4, d 6-4 = 2.
  CHECK(example.returns(words(13)).empty());
  CHECK(example.returns(words(12)) == Names{"a after d.backward"});  // c.bw: 10 + 2 is 12
  CHECK(example.returns(words(11)) == Names{"a after c.backward"});
  CHECK(example.time(words(11)) == Duration(150));  // a comes beside b.bw
  CHECK(example.returns(words(10)) == Names{"b after d.backward", "a after b.backward"});
  CHECK(example.returns(words(9)) ==
        Names{"c after d.backward", "b after c.backward", "a after b.backward"});
  // As swap-in-out up to b.bw, 170..190; only then a in ..210, a.bw ..230.
  CHECK(example.time(words(9)) == Duration(230));
  CHECK(example.smallest() == words(9));
}

TEST_CASE("lms chains restorations: each begins when the one before has been used up") {
  const ScheduleExample example = worked_example("lms");
  CHECK(example.returns(5 * kGigabyte).empty());
  CHECK(example.returns(4 * kGigabyte) == Names{"a after c.backward"});
  CHECK(example.time(4 * kGigabyte) == 600 * kMillisecond);
  ScheduleOptions options;
  options.own.change().max_swaps = 3;
  CHECK(example.returns(16 * kGigabyte, options) ==
        Names{"c after d.forward", "b after c.backward", "a after b.backward"});
  // Out until 350, c in ..450, c.backward ..550, b in ..650, ..750, a in ..850, ..950.
  CHECK(example.time(16 * kGigabyte, options) == 950 * kMillisecond);
}

TEST_CASE("lms: what two tasks read comes back once, or for each of them") {
  // Layers save input and output: c.bw reads b and c, b.bw a and b, a.bw data and a.
  const ScheduleExample example =
      chain("lms", layer("a", 1, "both") + "," + layer("b", 1, "both") + "," +
                       layer("c", 1, "both") + "," + layer("d", 1, "both"));
  ScheduleOptions options;
  options.own.change().max_swaps = 9;
  CHECK(example.returns(words(99), options) ==
        Names{"b after d.forward", "a after c.backward", "data after b.backward"});
  options.own.change().restore_per_reader = true;
  CHECK(example.returns(words(99), options) == Names{"b after d.forward", "b after c.backward",
                                                     "a after c.backward", "a after b.backward",
                                                     "data after b.backward"});
}

TEST_CASE("lms: a number cuts the candidates, and so what fits at all") {
  const ScheduleExample example = uneven_chain("lms");
  ScheduleOptions options;
  options.own.change().max_swaps = 1;
  CHECK(example.smallest(options) == words(11));
  options.own.change().max_swaps = 0;
  CHECK(example.smallest(options) == words(13));
}

TEST_CASE("lms refuses numbers below 0, by the name of the flag") {
  const ScheduleExample example = uneven_chain("lms");
  ScheduleOptions options;
  options.own.change().max_swaps = -1;
  CHECK_THROWS_WITH_AS((void)example.result(words(9), options), doctest::Contains("--max-swaps"),
                       SpecError);
}

}  // namespace
}  // namespace ooc::test
