// Is the ledger's segment tree right? By hand on a few positions, and against plain arrays.
#include <random>

#include "simulator/plan/memory_ledger.hpp"
#include "tests/support/test.hpp"

namespace ooc {
namespace {

std::vector<Bytes> bytes(std::initializer_list<std::int64_t> counts) {
  std::vector<Bytes> result;
  for (const std::int64_t count : counts) result.emplace_back(count);
  return result;
}

TEST_CASE("a booking raises exactly the positions of its range") {
  MemoryLedger ledger(bytes({1, 2, 3, 4, 5}));
  ledger.book(1, 4, Bytes(10));  // 1 12 13 14 5
  CHECK(ledger.at(0) == Bytes(1));
  CHECK(ledger.at(1) == Bytes(12));
  CHECK(ledger.at(3) == Bytes(14));
  CHECK(ledger.at(4) == Bytes(5));
  CHECK(ledger.max(0, 5) == Bytes(14));
  CHECK(ledger.max(0, 3) == Bytes(13));
  CHECK(ledger.max(4, 5) == Bytes(5));
}

TEST_CASE("an empty booking changes nothing") {
  MemoryLedger ledger(bytes({7, 8}));
  ledger.book(1, 1, Bytes(100));
  ledger.book(2, 1, Bytes(100));
  CHECK(ledger.max(0, 2) == Bytes(8));
}

TEST_CASE("the last position above a limit is found inside the range only") {
  MemoryLedger ledger(bytes({9, 1, 5, 1, 9}));
  CHECK(ledger.last_above(0, 5, Bytes(8)) == std::size_t{4});
  CHECK(ledger.last_above(0, 4, Bytes(8)) == std::size_t{0});
  CHECK_FALSE(ledger.last_above(1, 4, Bytes(8)).has_value());
  CHECK(ledger.last_above(1, 4, Bytes(4)) == std::size_t{2});
  CHECK_FALSE(ledger.last_above(1, 4, Bytes(5)).has_value());  // more than, not as much as
  CHECK_FALSE(ledger.last_above(3, 3, Bytes(0)).has_value());
}

TEST_CASE("the tree agrees with plain arrays under random bookings and questions") {
  std::mt19937_64 random(20260101);
  const auto draw = [&](std::size_t lowest, std::size_t highest) {
    return lowest + random() % (highest - lowest + 1);
  };
  for (int round = 0; round < 400; ++round) {
    const std::size_t size = draw(1, 70);
    std::vector<Bytes> plain(size);
    for (Bytes& each : plain) each = Bytes(static_cast<std::int64_t>(draw(0, 100)));
    MemoryLedger ledger(plain);
    for (int step = 0; step < 60; ++step) {
      std::size_t first = draw(0, size - 1);
      std::size_t end = draw(first + 1, size);
      const Bytes amount(static_cast<std::int64_t>(draw(0, 80)) - 40);
      ledger.book(first, end, amount);
      for (std::size_t i = first; i < end; ++i) plain[i] += amount;

      first = draw(0, size - 1);
      end = draw(first + 1, size);
      CAPTURE(round);
      CAPTURE(first);
      CAPTURE(end);
      const auto from = plain.begin() + static_cast<std::ptrdiff_t>(first);
      const auto to = plain.begin() + static_cast<std::ptrdiff_t>(end);
      REQUIRE(ledger.max(first, end) == *std::max_element(from, to));
      const Bytes limit(static_cast<std::int64_t>(draw(0, 160)) - 30);
      std::optional<std::size_t> expected;
      for (std::size_t i = first; i < end; ++i) {
        if (plain[i] > limit) expected = i;
      }
      REQUIRE(ledger.last_above(first, end, limit) == expected);
    }
  }
}

}  // namespace
}  // namespace ooc
