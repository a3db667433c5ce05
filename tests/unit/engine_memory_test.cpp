// The allocators with addresses: which hole, when neighbours join, and fragmentation as an effect; the rules of a
// caching one, by hand.
#include "tests/support/test.hpp"
#include "tests/unit/engine_scenario.hpp"

using namespace ooc;
using namespace ooc::test;

namespace {

constexpr std::int64_t kUnit = 512;

/// 10 units: blocks A (3 units), B (1), C (2), D (1) lie one after another, 3 units are free behind. A is
/// freed at 10, C at 20. Holes at 20: A's 3 units, C's 2, the 3 behind.
struct Holes {
  Scenario s;
  StepId first = s.compute(10), second = s.compute(10);
  BlockId a = s.initially(3 * kUnit, {first}), b = s.initially(kUnit),
          c = s.initially(2 * kUnit, {second}), d = s.initially(kUnit);
  StepId third = s.compute(10);
};

}  // namespace

TEST_CASE("first fit takes the lowest hole, best fit the smallest: seen by what fits next") {
  // At 20 the third step takes 2 units: first fit puts them into A's hole (1 left there: 1, 2, 3), best
  // fit into C's (3, 3). Then two blocks of 3 units fit only after best fit.
  for (const Allocator allocator : {Allocator::kIdeal, Allocator::kFirstFit, Allocator::kBestFit}) {
    CAPTURE(static_cast<int>(allocator));
    Holes it;
    it.s.takes(it.third, 2 * kUnit);
    const StepId last = it.s.compute(1);
    it.s.takes(last, 3 * kUnit);
    it.s.takes(last, 3 * kUnit);
    const Outcome& outcome = it.s.run(10 * kUnit, allocator);
    if (allocator == Allocator::kFirstFit) {
      REQUIRE(std::holds_alternative<Blocked>(outcome));
      CHECK(it.s.blocked().step == last);
      CHECK(it.s.blocked().wanted == Bytes(6 * kUnit));
      CHECK(it.s.blocked().free == Bytes(6 * kUnit));  // enough, but in pieces
      CHECK(it.s.blocked().largest_hole == Bytes(3 * kUnit));
    } else {
      CHECK(it.s.end(last) == 31);
    }
  }
}

TEST_CASE("blocks that fit in sum but in no hole are fragmentation") {
  // At 20 8 units are free in holes of 3, 2 and 3: a block of 4 fits by the counter, not by addresses.
  for (const Allocator allocator : {Allocator::kIdeal, Allocator::kFirstFit, Allocator::kBestFit}) {
    CAPTURE(static_cast<int>(allocator));
    Holes it;
    it.s.takes(it.third, 4 * kUnit);
    const bool ran = std::holds_alternative<Timeline>(it.s.run(10 * kUnit, allocator));
    CHECK(ran == (allocator == Allocator::kIdeal));
    if (!ran) CHECK(it.s.blocked().free == Bytes(8 * kUnit));
    if (!ran) CHECK(it.s.blocked().largest_hole == Bytes(3 * kUnit));
  }
}

TEST_CASE("a freed block joins the holes on both sides") {
  // As above, but B is freed together with C: A's hole, B and C make one of 6 units.
  for (const Allocator allocator : {Allocator::kFirstFit, Allocator::kBestFit}) {
    Scenario s;
    const StepId first = s.compute(10);
    const StepId second = s.compute(10);
    s.initially(3 * kUnit, {first});
    s.initially(kUnit, {second});
    s.initially(2 * kUnit, {first});
    s.initially(4 * kUnit);
    const StepId third = s.compute(10);
    s.takes(third, 6 * kUnit);
    CHECK(std::holds_alternative<Timeline>(s.run(10 * kUnit, allocator)));
    CHECK(s.start(third) == 20);
  }
}

TEST_CASE("blocks take multiples of 512 bytes, static bytes lie below") {
  // Two blocks of 513 bytes take 2 x 1024. With addresses 2047 bytes are one too few.
  for (const std::int64_t budget : {2047, 2048}) {
    Scenario s;
    const StepId step = s.compute(10);
    s.takes(step, 513);
    s.takes(step, 513);
    const bool ran = std::holds_alternative<Timeline>(s.run(budget, Allocator::kFirstFit));
    CHECK(ran == (budget == 2048));
    if (ran) CHECK(s.timeline().peak_near == Bytes(2048));
  }
}

namespace {

/// The copy in wants 2 + 2 units of which the second does not fit: the first is given back, and the copy
/// out gets those 2 units at once.
void check_all_or_nothing(std::int64_t unit, Allocator allocator) {
  Scenario s;
  const StepId hold = s.compute(10);
  s.takes(hold, unit, {hold});
  const StepId both = s.to_near({.bytes = 1});
  s.takes(both, 2 * unit);
  s.takes(both, 2 * unit);
  const StepId small = s.to_far({.bytes = 1});
  s.takes(small, 2 * unit, {small});
  s.run(4 * unit, allocator);
  CHECK(s.start(small) == 0);
  CHECK(s.start(both) == 10);
  CHECK(s.timeline().peak_near == Bytes(4 * unit));
}

}  // namespace

TEST_CASE("acquires with addresses are all or nothing") {
  check_all_or_nothing(kUnit, Allocator::kFirstFit);
}

namespace {

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;

/// What is reserved for blocks that one step takes.
std::int64_t reserved_for(std::initializer_list<std::int64_t> blocks) {
  Scenario s;
  const StepId step = s.compute(10);
  for (const std::int64_t bytes : blocks) s.takes(step, bytes);
  s.run(100 * kMiB, Allocator::kCaching);
  return s.timeline().peak_near.count();
}

/// The same for a second step that comes when all of the first one's blocks are free. -1: it is blocked.
std::int64_t reserved_after(std::initializer_list<std::int64_t> freed,
                            std::initializer_list<std::int64_t> then, std::int64_t budget) {
  Scenario s;
  const StepId first = s.compute(10);
  const StepId second = s.compute(10);
  for (const std::int64_t bytes : freed) s.takes(first, bytes, {first});
  for (const std::int64_t bytes : then) s.takes(second, bytes);
  const Outcome& outcome = s.run(budget, Allocator::kCaching);
  return std::holds_alternative<Blocked>(outcome) ? -1 : s.timeline().peak_near.count();
}

}  // namespace

TEST_CASE("what is left of a piece is cut off from 512 B (small), above 1 MiB (large)") {
  CHECK(reserved_for({kMiB, kMiB - 512, 512}) == 2 * kMiB);
  CHECK(reserved_after({12 * kMiB}, {11 * kMiB, kMiB + 512}, 100 * kMiB) == 32 * kMiB);
  CHECK(reserved_after({12 * kMiB}, {11 * kMiB - 512, kMiB + 512}, 100 * kMiB) == 12 * kMiB);
}

TEST_CASE("a segment that holds a block stays, and blocks a run that has bytes enough") {
  // 2 MiB live in a segment of 20: of 30 MiB 28 are free, 18 in one piece.
  Scenario s;
  const StepId first = s.compute(10);
  const StepId second = s.compute(10);
  s.takes(first, 2 * kMiB);
  s.takes(second, 19 * kMiB);
  REQUIRE(std::holds_alternative<Blocked>(s.run(30 * kMiB, Allocator::kCaching)));
  CHECK(s.blocked().step == second);
  CHECK(s.blocked().free == Bytes(28 * kMiB));
  CHECK(s.blocked().largest_hole == Bytes(18 * kMiB));
}

TEST_CASE("what a caching allocator could still hand out is a piece or a new segment") {
  // Beside a block of its own size: 21 MiB are a segment of 20, 9 only one for small blocks, 1 none.
  for (const auto& [room, largest] :
       {std::pair(21 * kMiB, 20 * kMiB), {11 * kMiB, 10 * kMiB}, {9 * kMiB, kMiB}, {kMiB, 0}}) {
    Scenario s;
    const StepId first = s.compute(10);
    const StepId second = s.compute(10);
    s.takes(first, 10 * kMiB);
    s.takes(second, 50 * kMiB);
    REQUIRE(std::holds_alternative<Blocked>(s.run(10 * kMiB + room, Allocator::kCaching)));
    CHECK(s.blocked().largest_hole == Bytes(largest));
  }
}

TEST_CASE("a step that a caching allocator cannot serve at once waits, and gets all or nothing") {
  check_all_or_nothing(10 * kMiB, Allocator::kCaching);
}

TEST_CASE("copies in find no memory that kernels have freed, unless they share a stream") {
  for (const bool one_stream : {false, true}) {
    Scenario s(one_stream);
    const StepId kernel = s.compute(10);
    s.takes(kernel, 12 * kMiB, {kernel});
    const StepId copy = s.to_near({.bytes = 1}, {kernel});
    s.takes(copy, 12 * kMiB, {copy});
    s.takes(s.compute(10, {copy}), 12 * kMiB);
    s.run(40 * kMiB, Allocator::kCaching);
    CHECK(s.timeline().peak_near == Bytes((one_stream ? 12 : 24) * kMiB));
  }
}

TEST_CASE("tensors of a workspace lie in the holes that they fit") {
  for (const std::int64_t largest : {0, 12}) {
    Scenario s;
    const StepId first = s.compute(10);
    s.takes(first, 12 * kMiB, {first});
    const StepId second = s.compute(10, {first});
    s.takes_workspace(second, 24 * kMiB, largest * kMiB);
    const StepId third = s.compute(10, {second});
    s.takes(third, 12 * kMiB, {third});
    s.takes(third, 12 * kMiB, {third});
    s.run(100 * kMiB, Allocator::kCaching);
    CHECK(s.timeline().peak_near == Bytes((largest == 0 ? 36 : 24) * kMiB));
  }
}

TEST_CASE("a step lacks what its first tensor without a place lacks") {
  Scenario s;
  const StepId first = s.compute(10);
  s.takes(first, 24 * kMiB);
  const StepId second = s.compute(10, {first});
  s.takes_workspace(second, 48 * kMiB, 24 * kMiB);
  s.takes(second, 24 * kMiB, {second});
  s.run(84 * kMiB, Allocator::kCaching);
  CHECK(s.blocked().wanted - s.blocked().largest_hole == Bytes(12 * kMiB));
}

TEST_CASE("states that the first iteration makes lie in what the second wants whole") {
  Scenario s;
  const StepId copy = s.to_far({.bytes = 1});
  s.takes(copy, 40 * kMiB, {copy});
  s.compute(10, {copy});
  s.costs.first_states = {{Bytes(2 * kMiB)}};
  s.run(100 * kMiB, Allocator::kCaching);
  CHECK(s.timeline().peak_near ==
        Bytes(78 * kMiB));  // two segments of 40, less the state, which is static
}
