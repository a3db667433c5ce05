// Reading rows: what a good one says, and that every bad one is refused at its place.
#include <doctest/doctest.h>

#include <string>

#include "tests/unit/validation_support.hpp"

using namespace ooc;

namespace {

const std::string kRowRuns = R"("a": "predict n --batch {batch}", "b": "inspect n")";
const std::string kPoints = R"("batch": [1, 2])";

std::string row_error(const std::string& check, const std::string& runs = kRowRuns,
                      const std::string& points = kPoints) {
  try {
    (void)row_of(runs, check, points);
  } catch (const SpecError& caught) {
    return caught.what();
  }
  return "accepted";
}

bool says(const std::string& message, const std::string& part) {
  INFO(message);
  return message.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a row is read with its defaults, units and references") {
  const ValidationRow row =
      row_of(kRowRuns,
             R"({"name": "time", "unit": "ms", "predicted": "a.t", "published": [1.5, 2],
                 "tolerance": "5 %"},
                {"use": "order", "predicted": "b.u", "between": [null, "12 GB"], "points": {"x": [1]}})",
             kPoints);
  CHECK(row.id == "R1");
  REQUIRE(row.runs.size() == 2);
  CHECK(row.runs[0].name == "a");
  CHECK(row.runs[0].place.line == 2);
  const RowCheck& time = row.checks[0];
  CHECK(time.use == Use::kTight);
  CHECK(time.factor == 1e6);
  CHECK(point_labels(time.points) == std::vector<std::string>{"1", "2"});
  // Numbers are in the check's unit: 1.5 ms.
  CHECK(evaluate(time.published[0], {}) == Series{1.5e6});
  CHECK(std::get<WithinTolerance>(time.rule).share == doctest::Approx(0.05));
  const RowCheck& order = row.checks[1];
  CHECK(order.use == Use::kOrder);
  CHECK_FALSE(std::get<Between>(order.rule).low.has_value());
  CHECK(evaluate(*std::get<Between>(order.rule).high, {}) == Series{12e9});
}

TEST_CASE("points go by their texts where these tell them apart, else by everything") {
  const auto labels = [](const std::string& points) {
    return point_labels(
        row_of("\"a\": \"inspect n\"", R"({"predicted": 1, "between": [0, 2]})", points)
            .checks[0]
            .points);
  };
  using Labels = std::vector<std::string>;
  CHECK(labels(R"("network": ["x", "y"], "batch": [64, 128])") == Labels{"x", "y"});
  CHECK(labels(R"("network": ["x", "x"], "batch": [64, 128])") ==
        Labels{"x, batch 64", "x, batch 128"});
  CHECK(labels(R"("batch": [64, 128], "devices": [1, 2])") ==
        Labels{"batch 64, devices 1", "batch 128, devices 2"});
}

TEST_CASE("a check without exactly one rule is refused") {
  CHECK(says(row_error(R"({"predicted": "a.t"})"), "/checks/0: found no rule"));
  CHECK(
      says(row_error(R"({"predicted": "a.t", "published": 1, "tolerance": 0, "between": [1, 2]})"),
           "found 2 rules"));
  CHECK(says(row_error(R"({"predicted": "a.t", "tolerance": 0})"), "found no \"published\""));
  CHECK(says(row_error(R"({"ascending": [1, 2], "predicted": "a.t"})"), "\"ascending\" alone"));
  CHECK(says(row_error(R"({"between": [1, 2]})"), "found no \"predicted\""));
}

TEST_CASE("lists have the length that the points ask for") {
  CHECK(says(row_error(R"({"predicted": "a.t", "published": [1, 2, 3], "tolerance": 0})"),
             "one for each of the 2 points"));
  CHECK(says(row_error(R"({"predicted": 1, "between": [1, 2, 3]})"), "a list of two"));
  CHECK(says(row_error(R"({"predicted": 1, "between": [null, null]})"), "two open ends"));
  CHECK(says(row_error(R"({"ascending": [1]})"), "at least two formulas"));
  CHECK(says(
      row_error(R"({"predicted": 1, "between": [0, 2]})", kRowRuns, R"("x": [1, 2], "y": [1])"),
      "a list of 2, as \"x\" has"));
  CHECK(says(row_error(R"({"predicted": "b.t", "trend": "rises", "points": {"x": [1]}})"),
             "two points or more"));
}

TEST_CASE("names that are none are refused with the nearest") {
  CHECK(says(row_error(R"({"predicted": "aa.t", "between": [0, 1]})"), "did you mean a?"));
  CHECK(
      says(row_error(R"({"predicted": "a.t / bach", "between": [0, 1]})"), "did you mean batch?"));
  CHECK(says(row_error(R"({"predicted": "a.t", "between": [0, "c.t"]})"), "/checks/0/between/1"));
  CHECK(says(row_error(R"({"predicted": "a.t", "trend": "raises"})"), "did you mean \"rises\"?"));
  CHECK(says(row_error(R"({"predicted": "a.t", "betwen": [0, 1]})"), "found no rule"));
  CHECK(says(row_error(R"({"predicted": "a.t", "between": [0, 1], "uint": "ms"})"),
             "did you mean \"unit\"?"));
  CHECK(says(row_error(R"({"predicted": "a.t", "between": [0, 1], "use": "loose"})"), "\"tight\""));
  CHECK(says(
      row_error(
          R"({"predicted": "a.t", "between": [0, 1], "known": {"cause": "c", "points": [3]}})"),
      "one of the points 1; 2"));
}

TEST_CASE("runs are texts, replays or copies") {
  const std::string check = R"({"predicted": 1, "between": [0, 2]})";
  CHECK(row_error(check,
                  R"("a": {"replays": "folder"}, "c": {"copy": {"hardware": "m", "mode": "pinned",
        "direction": "to_far", "size": "1 MiB"}})") == "accepted");
  CHECK(says(row_error(check, R"("a": 3)"), "/runs/a: found 3"));
  CHECK(says(
      row_error(
          check,
          R"("a": {"copy": {"hardware": "m", "mode": "pinned", "direction": "up", "size": "1 MiB"}})"),
      "/runs/a/copy/direction"));
  CHECK(says(row_error(check, R"("a-b": "inspect n")"), "letters, digits and underscores"));
  CHECK(says(row_error(check, R"("a": {"replays": []})"), "at least one"));
}

TEST_CASE("errors name line and column") {
  CHECK(says(row_error("\n  {\"predicted\": \"a.\", \"between\": [0, 1]}"), "line 3, column 17"));
}
