// Copies: latency, rounding, two directions of a link, by hand-computed numbers.
#include "tests/support/test.hpp"
#include "tests/unit/engine_scenario.hpp"

using namespace ooc;
using namespace ooc::test;

namespace {

constexpr BytesPerSecond kLinkGigabyte{1'000'000'000};  // 1 byte = 1 ns

void set_duplex(Scenario& s, std::int64_t percent) {
  s.costs.transfers.duplex = Ratio(percent * 10'000'000);
}

}  // namespace

TEST_CASE("a copy spends its latency, then moves its bytes, rounded up") {
  // 10 bytes at 3 GB/s: 3.33 ns, so 4; and 9 bytes: exactly 3.
  for (const std::int64_t percent : {100, 50}) {  // alone, duplex changes nothing
    Scenario s;
    set_duplex(s, percent);
    const StepId ten = s.to_far({.bytes = 10, .latency = 7, .rate = BytesPerSecond(3'000'000'000)});
    const StepId nine =
        s.to_near({.bytes = 9, .latency = 7, .rate = BytesPerSecond(3'000'000'000)}, {ten});
    s.run();
    CHECK(s.end(ten) == 7 + 4);
    CHECK(s.end(nine) == 11 + 7 + 3);
  }
}

TEST_CASE("an infinite rate moves any size in no time, no bytes take no time at any rate") {
  for (const std::int64_t percent : {100, 50}) {
    Scenario s;
    set_duplex(s, percent);
    const StepId busy = s.to_near({.bytes = 100});
    const StepId infinite = s.to_far({.bytes = 1'000'000, .latency = 5, .rate = kInfiniteRate});
    const StepId empty = s.to_far({.bytes = 0, .rate = BytesPerSecond(1)}, {infinite});
    s.run();
    CHECK(s.end(infinite) == 5);
    CHECK(s.end(empty) == 5);
    CHECK(s.end(busy) == 100);  // neither ever had a share of the link
  }
}

TEST_CASE("with both directions active each runs at its rate times duplex, rounded down") {
  // Both move 100 bytes from 0 at floor(1 GB/s x 0.8): 125 ns each.
  Scenario s;
  set_duplex(s, 80);
  const StepId out = s.to_far({.bytes = 100});
  const StepId in = s.to_near({.bytes = 100});
  s.run();
  CHECK(s.end(out) == 125);
  CHECK(s.end(in) == 125);
}

TEST_CASE("each direction keeps a share of its own while both are active") {
  // 120 bytes each from 0. To far keeps 0.96 of 1 byte/ns: 125 ns. To near keeps 0.5: 62.5 bytes till
  // then, the other 57.5 at the full rate: 182.5, rounded up.
  Scenario s;
  s.costs.transfers.duplex = Duplex(Ratio(500'000'000), Ratio(960'000'000));
  const StepId out = s.to_far({.bytes = 120});
  const StepId in = s.to_near({.bytes = 120});
  s.run();
  CHECK(s.end(out) == 125);
  CHECK(s.end(in) == 183);
}

TEST_CASE("a direction that loses nothing beside the other one still slows that one down") {
  // To far keeps all: 100 ns for 100 bytes. To near keeps half: 50 bytes by then, 50 more: 150.
  Scenario s;
  s.costs.transfers.duplex = Duplex(Ratio(500'000'000), kOne);
  const StepId out = s.to_far({.bytes = 100});
  const StepId in = s.to_near({.bytes = 100});
  s.run();
  CHECK(s.end(out) == 100);
  CHECK(s.end(in) == 150);
}

TEST_CASE("the scaled rate is a whole number of bytes per second") {
  // floor(3 B/s x 0.5) = 1 B/s: 2 bytes take 2 s, where 1.5 B/s would take 1.33 s.
  Scenario s;
  set_duplex(s, 50);
  const StepId out = s.to_far({.bytes = 2, .rate = BytesPerSecond(3)});
  const StepId in = s.to_near({.bytes = 1000, .rate = BytesPerSecond(3)});
  s.run();
  CHECK(s.end(out) == 2'000'000'000);
  // The other one: 2 s at 1 B/s, then 998 bytes at 3 B/s: 332.666... s.
  CHECK(s.end(in) == 2'000'000'000 + 332'666'666'667);
}

TEST_CASE("rates change in mid-flight when the other direction starts and ends") {
  // Out: 100 bytes from 0. In: 30 bytes from 40 (a compute step of 40 ns before it). Duplex 0.6.
  // 0..40 out moves 40. From 40 both run at 0.6 B/ns: in takes 30 / 0.6 = 50 ns, till 90; out moves 30
  // in that time. From 90 out has 30 left at 1 B/ns: ends at 120.
  Scenario s;
  set_duplex(s, 60);
  const StepId before = s.compute(40);
  const StepId out = s.to_far({.bytes = 100});
  const StepId in = s.to_near({.bytes = 30}, {before});
  s.run();
  CHECK(s.start(in) == 40);
  CHECK(s.end(in) == 90);
  CHECK(s.end(out) == 120);
}

TEST_CASE("remainders are exact however often the rate changes") {
  // Out: 1000 bytes at 1 GB/s. In: ten copies of 1 byte at 1 GB/s, one after another, duplex 0.7: each
  // takes ceil(1 / 0.7) = 2 ns, and out moves 0.7 x 2 = 1.4 bytes meanwhile. After ten: 20 ns, 14
  // bytes. 986 left at 1 B/ns: ends at 1006. Rounding at each change would have lost up to 10 bytes.
  Scenario s;
  set_duplex(s, 70);
  const StepId out = s.to_far({.bytes = 1000});
  StepId last;
  for (int i = 0; i < 10; ++i) last = s.to_near({.bytes = 1});
  s.run();
  CHECK(s.end(last) == 20);
  CHECK(s.end(out) == 1006);
}

TEST_CASE("a copy in its latency takes no share of the link") {
  // In has 50 ns of latency: out, 50 bytes, has the link to itself until it ends at 50. One byte more
  // and the last byte of out shares: at 50, 1 byte left at 0.5 B/ns: ends at 52.
  for (const std::int64_t bytes : {50, 51}) {
    CAPTURE(bytes);
    Scenario s;
    set_duplex(s, 50);
    const StepId out = s.to_far({.bytes = bytes});
    const StepId in = s.to_near({.bytes = 10, .latency = 50});
    s.run();
    CHECK(s.end(out) == (bytes == 50 ? 50 : 52));
    // In: 10 bytes alone; or 2 ns shared (1 byte), then 9 bytes.
    CHECK(s.end(in) == (bytes == 50 ? 60 : 61));
  }
}

TEST_CASE("a copy that would take longer than any limit saturates instead of overflowing") {
  Scenario s;
  set_duplex(s, 50);
  const StepId out = s.to_far({.bytes = kMaxTensorBytes - 1, .rate = BytesPerSecond(1)});
  s.to_near({.bytes = 1}, {out});
  s.run();
  CHECK(s.end(out) == kMaxTimeNs);
}
