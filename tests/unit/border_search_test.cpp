// The search for a border, with predicates made by hand.
#include "simulator/predict/border_search.hpp"

#include "tests/support/test.hpp"

namespace ooc {
namespace {

struct Searched {
  std::function<BorderTrial(std::int64_t number)> attempt;
  std::vector<std::int64_t> tried = {};

  /// As the search for a batch: 1, 16, 256, ...
  Border border(std::int64_t first = 1, std::int64_t last = 1 << 30, std::int64_t also_beyond = 0) {
    tried.clear();
    return find_border({.attempt =
                            [this](std::int64_t number) {
                              tried.push_back(number);
                              return attempt(number);
                            },
                        .first = first,
                        .last = last,
                        .start = first,
                        .step = 15 * first,
                        .growth = 16,
                        .also_beyond = also_beyond});
  }
};

/// Fails above `border`, and guesses that.
Searched up_to(std::int64_t border, std::int64_t guess) {
  return {[=](std::int64_t number) { return BorderTrial{number <= border, guess}; }};
}

TEST_CASE("a good guess and the number above it end the search") {
  Searched search = up_to(128, 128);
  const Border found = search.border();
  CHECK(found.does == 128);
  CHECK(found.fails == 129);
  CHECK(search.tried == std::vector<std::int64_t>{1, 16, 256, 128, 129});
}

TEST_CASE("every border is found in few trials, whatever the guesses are") {
  for (std::int64_t border = 1; border < 700; ++border) {
    CAPTURE(border);
    for (const std::int64_t guess : {border, border - 1, border + 1, std::int64_t{0}, 2 * border}) {
      Searched search = up_to(border, guess);
      const Border found = search.border();
      REQUIRE(found.does == border);
      REQUIRE(found.fails == border + 1);
      REQUIRE(search.tried.size() <= 40);
    }
    // Always one less than what failed, or one more than what did.
    std::int64_t sign = -1;
    Searched shaving{[&](std::int64_t number) {
      return BorderTrial{number <= border, number + sign};
    }};
    for (sign = -1; sign <= 1; sign += 2) {
      REQUIRE(shaving.border().does == border);
      REQUIRE(shaving.tried.size() <= 40);
    }
  }
}

TEST_CASE("a search goes from where it starts to either side") {
  for (const std::int64_t border : {1, 2, 499, 500, 501, 999}) {
    const Border found =
        find_border({.attempt = [=](std::int64_t number) { return BorderTrial{number <= border}; },
                     .first = 1,
                     .last = 1000,
                     .start = 500,
                     .step = 10});
    CHECK(found.does == border);
    CHECK(found.fails == border + 1);
  }
}

TEST_CASE("the ends of the range end the search") {
  for (const std::int64_t last : {1, 2, 15, 16, 17, 1000}) {
    Searched all = up_to(1 << 20, 0);
    const Border found = all.border(1, last);
    CHECK(found.does == last);
    CHECK_FALSE(found.fails.has_value());
  }
  Searched none = up_to(4, 0);
  const Border found = none.border(5);
  CHECK_FALSE(found.does.has_value());
  CHECK(found.fails == 5);
  CHECK(none.tried.size() == 1);
}

TEST_CASE("a few numbers above the border are tried where larger ones may do again") {
  // Tried: 1, 16, 256, halves down to 21 and 20. Of 22, 24 and 28 the last is four above 24.
  const std::set<std::int64_t> odd{22, 24, 28};
  Searched search{
      [&](std::int64_t number) { return BorderTrial{number <= 20 || odd.contains(number)}; }};
  CHECK(search.border().does == 20);
  const Border found = search.border(1, 1 << 30, 3);
  CHECK(found.does == 24);
  CHECK(found.fails == 25);
  CHECK(search.border(1, 1 << 30, 4).does == 28);
}

}  // namespace
}  // namespace ooc
