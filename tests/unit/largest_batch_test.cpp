// The search for the largest batch, with predicates made by hand.
#include "simulator/schedules/largest_batch.hpp"

#include <doctest/doctest.h>

#include <set>

namespace ooc {
namespace {

/// A job that needs `fixed` + batch x `each` bytes, in a memory of `budget`.
BatchSearch proportional(std::int64_t budget, std::int64_t fixed, std::int64_t each) {
  return {.attempt =
              [=](std::int64_t batch) {
                const Bytes needs(fixed + batch * each);
                if (needs.count() <= budget) return BatchTrial{.fits = true};
                return BatchTrial{.fits = false, .needs = needs, .has = Bytes(budget)};
              },
          .budget = Bytes(budget),
          .fixed = Bytes(fixed)};
}

TEST_CASE("where need is proportional the border is guessed at once") {
  // 100 + 7 b <= 1000: b = 128. Tried: 1, 16, 256 (fails), the guess 128, 129.
  const LargestBatch found = find_largest_batch(proportional(1000, 100, 7));
  CHECK(found.batch == 128);
  CHECK(found.fails == 129);
  CHECK(found.attempts == 5);
}

TEST_CASE("every border is found, however need grows") {
  for (std::int64_t border = 0; border < 700; ++border) {
    CAPTURE(border);
    const auto check = [&](const BatchSearch& search) {
      const LargestBatch found = find_largest_batch(search);
      REQUIRE(found.batch == border);
      REQUIRE(found.fails == border + 1);
      REQUIRE(found.attempts <= 40);
    };
    check(proportional(border * 3 + 2, 0, 3));
    const auto fits = [=](std::int64_t batch) { return batch <= border; };
    check({.attempt = [=](std::int64_t batch) { return BatchTrial{.fits = fits(batch)}; }});
    // What is said to be needed is of no use: always one byte more, or quadratic.
    check({.attempt =
               [=](std::int64_t batch) {
                 return BatchTrial{.fits = fits(batch), .needs = Bytes(101), .has = Bytes(100)};
               },
           .budget = Bytes(100)});
    check({.attempt =
               [=](std::int64_t batch) {
                 return BatchTrial{.fits = fits(batch),
                                   .needs = Bytes(batch * batch),
                                   .has = Bytes(border * border + border)};
               },
           .budget = Bytes(border * border + border)});
  }
}

TEST_CASE("where another memory is short two failures are needed to guess") {
  // 10 b - 300 <= 1000: b = 130. Tried: 1, 16, 256, half the way 136 (fails), the guess 130, 131.
  const LargestBatch found = find_largest_batch(
      {.attempt =
           [](std::int64_t batch) {
             const Bytes needs(10 * batch - 300);
             return BatchTrial{.fits = needs <= Bytes(1000), .needs = needs, .has = Bytes(1000)};
           },
       .budget = Bytes(300)});
  CHECK(found.batch == 130);
  CHECK(found.attempts == 6);
}

TEST_CASE("the limit ends the search") {
  BatchSearch search = proportional(1'000'000, 0, 1);
  for (const std::int64_t limit : {1, 2, 15, 16, 17, 1000}) {
    search.limit = limit;
    const LargestBatch found = find_largest_batch(search);
    CHECK(found.batch == limit);
    CHECK_FALSE(found.fails.has_value());
  }
  search.attempt = [](std::int64_t) { return BatchTrial{.fits = true}; };
  search.limit = kMaxBatch;
  CHECK(find_largest_batch(search).batch == kMaxBatch);
}

TEST_CASE("nothing below the first batch is tried") {
  BatchSearch search = proportional(1000, 100, 7);
  search.first = 5;
  CHECK(find_largest_batch(search).batch == 128);
  search.first = 129;
  const LargestBatch found = find_largest_batch(search);
  CHECK(found.batch == 0);
  CHECK(found.fails == 129);
  CHECK(found.attempts == 1);
}

TEST_CASE("where one sample does not fit nothing does") {
  const LargestBatch found = find_largest_batch(proportional(100, 100, 1));
  CHECK(found.batch == 0);
  CHECK(found.fails == 1);
  CHECK(found.attempts == 1);
}

TEST_CASE("a few batches above the border are tried where need may fall again") {
  // Tried: 1, 16, 256, halves down to 21 and 20. Of 22, 24 and 28 the last is four above 24.
  const std::set<std::int64_t> odd{22, 24, 28};
  BatchSearch search{.attempt = [&](std::int64_t batch) {
    return BatchTrial{.fits = batch <= 20 || odd.contains(batch)};
  }};
  CHECK(find_largest_batch(search).batch == 20);
  search.also_above = 3;
  const LargestBatch found = find_largest_batch(search);
  CHECK(found.batch == 24);
  CHECK(found.fails == 25);
  search.also_above = 4;
  CHECK(find_largest_batch(search).batch == 28);
}

}  // namespace
}  // namespace ooc
