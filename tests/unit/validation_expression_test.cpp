// The formulas of validation rows: reading them, and what they come to.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "reports/validation/expression.hpp"

using namespace ooc;

namespace {

const Place kPlace{.file = "row.json", .pointer = "/checks/0/predicted", .line = 7, .column = 3};

/// r.one is 1; r.y is 10, 20, 40; x is 1, 2, 4.
Series value(const std::string& text) {
  const Meanings meanings{
      .metric = [](const std::string&, const std::string& metric, const Expression&) -> Series {
        if (metric == "one") return {1};
        if (metric == "gap") return {10, std::nan(""), 40};
        return {10, 20, 40};
      },
      .parameter = [](const std::string&, const Expression&) -> Series {
        return {1, 2, 4};
      }};
  return evaluate(parse_expression(text, kPlace), meanings);
}

std::string expression_error(const std::string& text) {
  try {
    (void)parse_expression(text, kPlace);
  } catch (const SpecError& caught) {
    return caught.what();
  }
  return "";
}

}  // namespace

TEST_CASE("products bind more than sums, and equals go from the left") {
  CHECK(value("1 + 2 * 3") == Series{7});
  CHECK(value("(1 + 2) * 3") == Series{9});
  CHECK(value("8 - 4 - 2") == Series{2});
  CHECK(value("8 / 4 / 2") == Series{1});
  CHECK(value("-2 * 3 + 1") == Series{-5});
}

TEST_CASE("literals have units of size and time, in bytes and nanoseconds") {
  CHECK(value("12 GB") == Series{12e9});
  CHECK(value("1 MiB") == Series{1048576});
  CHECK(value("1.5 ms") == Series{1.5e6});
  CHECK(value("3 ns + 4 B") == Series{7});
  CHECK(value("5 %").front() == doctest::Approx(0.05));
  CHECK(value("1e-3 * 2e3").front() == doctest::Approx(2));
}

TEST_CASE("operations go point by point, and a single number stands for all points") {
  CHECK(value("r.y / 10") == Series{1, 2, 4});
  CHECK(value("100 - r.y") == Series{90, 80, 60});
  CHECK(value("r.y / x") == Series{10, 10, 10});
  CHECK(value("r.y + r.one") == Series{11, 21, 41});
}

TEST_CASE("functions fold points or map them") {
  CHECK(value("mean(1, 2, 6)") == Series{3});
  CHECK(value("median(9, 1, 2)") == Series{2});
  CHECK(value("median(9, 1, 2, 4)") == Series{3});  // (2 + 4) / 2
  CHECK(value("sum(r.y)") == Series{70});
  CHECK(value("min(r.y) + max(r.y)") == Series{50});
  CHECK(value("abs(0 - r.y)") == Series{10, 20, 40});
  CHECK(value("floor(2.7) + ceil(2.1)") == Series{5});
  CHECK(value("first(r.y, 2)") == Series{10, 20});
  CHECK(value("last(r.y, 1)") == Series{40});
}

TEST_CASE("the exponent of a power law comes back from its points") {
  // 3 x^2 at 1, 2, 4; and at 10, 20, 40 over 1, 2, 4 it is 1.
  CHECK(value("exponent(x, 3 * x * x)").front() == doctest::Approx(2));
  CHECK(value("exponent(x, r.y)").front() == doctest::Approx(1));
  CHECK(std::isnan(value("exponent(1, 2)").front()));
}

TEST_CASE("drop finds the first fall, settled the start of the plateau") {
  // 1, 2, 4 -> -1, -2, -4 falls by more than any share at once; a rising series never does.
  CHECK(std::isnan(value("drop(x, r.y, 5 %)").front()));
  CHECK(value("drop(x, 50 - r.y, 20 %)") == Series{2});  // 40, 30, 10: 30 < 0.8 x 40
  CHECK(value("drop(x, 50 - r.y, 30 %)") == Series{4});  // 30 > 0.7 x 40, 10 < 28
  CHECK(value("settled(x, r.y, 40 %)") == Series{4});    // 20 is half of 40
  CHECK(value("settled(x, r.y, 60 %)") == Series{2});
  CHECK(value("settled(x, r.y, 80 %)") == Series{1});
  CHECK(value("steepest(50 - r.y)").front() == doctest::Approx(2.0 / 3));  // 40, 30, 10
  CHECK(value("steepest(r.y)") == Series{0});
  CHECK(std::isnan(value("steepest(r.gap)").front()));
  CHECK(std::isnan(value("steepest(7)").front()));
}

TEST_CASE("what is not known stays so, unless it is said what stands in") {
  CHECK(std::isnan(value("mean(r.gap)").front()));
  CHECK(std::isnan(value("r.gap")[1]));
  CHECK(value("otherwise(r.gap, 5)") == Series{10, 5, 40});
  CHECK(value("otherwise(r.gap, inf)")[1] > 1e300);
  CHECK(value("otherwise(r.gap, x)") == Series{10, 2, 40});
  CHECK(std::isnan(value("1 / 0").front()));
}

TEST_CASE("what is no formula is refused with the character where it stops") {
  CHECK(expression_error("1 +") ==
        "row.json: /checks/0/predicted: found the end of \"1 +\", expected a number, a run with a "
        "metric such as base.samples_per_s, or a function (line 7, column 3)");
  CHECK(expression_error("(1 + 2").find("the end of") != std::string::npos);
  CHECK(expression_error("1 2").find("found \"2\" at character 3") != std::string::npos);
  CHECK(expression_error("12 GBs").find("a unit of size or time") != std::string::npos);
  CHECK(expression_error("a.").find("the name of a metric") != std::string::npos);
  CHECK(expression_error("meen(1)").find("did you mean mean?") != std::string::npos);
  CHECK(expression_error("exponent(1)").find("exponent with 2 arguments") != std::string::npos);
  CHECK(expression_error("").find("the end of") != std::string::npos);
  CHECK(expression_error(std::string(70, '(') + "1").find("at most 64 nested") !=
        std::string::npos);
  CHECK(expression_error(std::string(70, '-') + "1") != "");
}

TEST_CASE("sizes that do not match are refused") {
  CHECK_THROWS_AS((void)value("first(r.y, 2) + r.y"), SpecError);
}

TEST_CASE("a formula knows its runs and whether it is constant") {
  CHECK(runs_in(parse_expression("a.x / b.x + a.y", kPlace)) == std::vector<std::string>{"a", "b"});
  CHECK(is_constant(parse_expression("2 * 3 GB", kPlace)));
  CHECK_FALSE(is_constant(parse_expression("2 * batch", kPlace)));
}
