// Ranges, the order of a grid and the knee, from inside.
#include <doctest/doctest.h>

#include "cli/sweep/grid.hpp"
#include "cli/sweep/knee.hpp"
#include "cli/sweep/ranges.hpp"
#include "model/base/errors.hpp"

namespace ooc {
namespace {

using Counts = std::vector<std::int64_t>;

TEST_CASE("a range multiplies or adds up to and including its end") {
  CHECK(batch_range("32:512:x2", "--batch") == Counts{32, 64, 128, 256, 512});
  CHECK(batch_range("32:511:x2", "--batch") == Counts{32, 64, 128, 256});
  CHECK(batch_range("1:10:+3", "--batch") == Counts{1, 4, 7, 10});
  CHECK(batch_range("1:9:+3", "--batch") == Counts{1, 4, 7});
  CHECK(batch_range("5:5:x2", "--batch") == Counts{5});
  CHECK(batch_range("5:6:+2147483648", "--batch") == Counts{5});
  // 15, 22.5, 33.75: rounded only for show, so errors do not add up.
  CHECK(batch_range("10:40:x1.5", "--batch") == Counts{10, 15, 23, 34});
  CHECK(batch_range("8,1:4:x2,16", "--batch") == Counts{8, 1, 2, 4, 16});
}

TEST_CASE("ranges of sizes and rates have units at both ends and in an added step") {
  const auto sizes = bytes_range("8GiB:16GiB:+4GiB", "--memory");
  REQUIRE(sizes.size() == 3);
  CHECK(sizes[1].count() == 12LL << 30);
  const auto rates = rate_range("4GB/s:512GB/s:x2,inf", "--link");
  REQUIRE(rates.size() == 9);
  CHECK(rates[7] == BytesPerSecond(512'000'000'000));
  CHECK(rates[8] == kInfiniteRate);
}

TEST_CASE("points of a range that round to the same number come once") {
  // 1, 1.5, 2.25, 3.375, 5.0625, 7.59: 2 twice.
  CHECK(batch_range("1:10:x1.5", "--batch") == Counts{1, 2, 3, 5, 8});
  CHECK(batch_range("10:12:x1.1", "--batch") == Counts{10, 11, 12});
  const Counts fine = batch_range("1:100:x1.001", "--batch");
  CHECK(fine.size() == 100);
  CHECK(fine.back() == 100);
}

TEST_CASE("factors are plain decimals from above 1 to 1000") {
  for (const char* bad :
       {"1:9:x", "1:9:x1", "1:9:x0.5", "1:9:x-2", "1:9:x1e1", "1:9:xnan", "1:9:x1.", "1:9:x.5",
        "1:9:x1.0000001", "1:9:x1001", "1:9:x1.2.3", "1:9:x99999999999999999999"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(static_cast<void>(batch_range(bad, "--batch")), SpecError);
  }
  CHECK(batch_range("1:1000:x1000", "--batch") == Counts{1, 1000});
}

TEST_CASE("the grid counts in the order network, machine, batch, memory, schedule") {
  SweepGrid grid;
  grid.networks = {"a", "b"};
  grid.hardware = {"x"};
  grid.batches = {1, 2, 3};
  grid.memories = {std::nullopt, std::nullopt};
  grid.schedules = {nullptr, nullptr};
  grid.links = {std::nullopt, std::nullopt, std::nullopt};
  CHECK(grid.units() == 24);
  CHECK(grid.rows() == 72);
  const SweepUnit unit = unit_at(grid, 19);  // 19 = ((1 x 3 + 1) x 2 + 1) x 2 + 1
  CHECK(unit.network == 1);
  CHECK(unit.hardware == 0);
  CHECK(unit.batch == 1);
  CHECK(unit.memory == 1);
  CHECK(unit.schedule == 1);
  CHECK(unit.costs == 4);  // network 1, batch 1 of 3
}

TEST_CASE("the knee is the slowest link within the limit, one nanosecond decides") {
  const std::vector<std::optional<BytesPerSecond>> links{BytesPerSecond(30), BytesPerSecond(10),
                                                         BytesPerSecond(20), kInfiniteRate};
  const auto times = [](std::int64_t at_30, std::int64_t at_10, std::int64_t at_20) {
    const Duration reference(1000);
    return std::vector<LinkTime>{{true, Duration(at_30), reference},
                                 {true, Duration(at_10), reference},
                                 {true, Duration(at_20), reference},
                                 {true, reference, reference}};
  };
  const Knee at_limit = find_knee(7, links, times(1010, 1050, 1050));
  CHECK(at_limit.unit == 7);
  CHECK(at_limit.within_1_percent == 0);
  CHECK(at_limit.within_5_percent == 1);
  const Knee above = find_knee(7, links, times(1011, 1051, 1050));
  CHECK(above.within_1_percent == 3);
  CHECK(above.within_5_percent == 2);
}

TEST_CASE("a unit of which nothing fits has no knee") {
  const std::vector<std::optional<BytesPerSecond>> links{BytesPerSecond(30)};
  const std::vector<LinkTime> times{{false, Duration(0), Duration(1000)}};
  CHECK(!find_knee(0, links, times).within_5_percent);
}

}  // namespace
}  // namespace ooc
