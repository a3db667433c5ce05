// How a validation is written: as a table for people, as CSV, as JSON.
#include <doctest/doctest.h>

#include <string>

#include "reports/writers/validation_text.hpp"
#include "reports/writers/writer.hpp"
#include "tests/unit/validation_support.hpp"

using namespace ooc;

namespace {

ValidationReport sample() {
  const Table table{{"predict a 1", {{"t", 104e6}, {"ok", 1}}},
                    {"predict a 2", {{"t", 240e6}, {"ok", 0}}}};
  const ValidationRow row = row_of(
      R"("a": "predict a {batch}")",
      R"({"name": "time", "unit": "ms", "predicted": "a.t", "published": [100, 200], "tolerance": "5 %",
          "known": {"cause": "the second is slow", "points": [2]}},
         {"name": "fits", "use": "order", "predicted": "a.ok", "published": true, "tolerance": 0},
         {"name": "later", "predicted": "a.t", "between": [0, 1], "pending": "not written yet"})",
      R"("batch": [1, 2])");
  return judge_rows({row}, runs_of(table));
}

}  // namespace

TEST_CASE("the table shows every figure, what fails and why, and counts the rows") {
  CHECK(table_validation(sample(), {}) ==
        "             predicted  reference  deviation  allowed  kind       verdict\n"
        "R1   a row [nobody]\n"
        "    time, 1     104 ms     100 ms     +4.0 %  ± 5 %    predicted  holds\n"
        "    time, 2     240 ms     200 ms    +20.0 %  ± 5 %    predicted  fails (known)\n"
        "    fits, 1        yes        yes             exactly  order      holds\n"
        "    fits, 2         no        yes             exactly  order      FAILS\n"
        "    later            -                                 order      not run\n"
        "\n"
        "Fails\n"
        "  R1   fits, at 2: predicted no, reference yes, exactly\n"
        "\n"
        "Fails, and it is known why\n"
        "  R1   time, at 2: the second is slow\n"
        "\n"
        "Not run\n"
        "  R1   later: not written yet\n"
        "\n"
        "1 row: 0 hold, 1 FAILS in order only\n"
        "\n"
        "  what it is worth              figures  hold  n  median    mean  largest\n"
        "  predicted, published figures        2     1  2  12.0 %  12.0 %   20.0 %\n"
        "  order, sign, yes or no              2     1\n"
        "  |predicted / published - 1| of n figures; predicted: no number, network or\n"
        "  criterion was chosen with the figure in sight; fitted: one was\n");
}

TEST_CASE("kinds are counted apart: what was predicted, what was fitted, what only has an order") {
  const Table table{{"predict a 1", {{"t", 104}, {"ok", 1}}},
                    {"predict a 2", {{"t", 240}, {"ok", 1}}}};
  const ValidationRow row =
      row_of(R"("a": "predict a {batch}")",
             R"~({"predicted": "a.t", "published": [100, 200], "tolerance": "5 %"},
         {"use": "band", "predicted": "min(a.t)", "published": 208, "between": [50, 300]},
         {"use": "fitted", "predicted": "a.t", "published": [100, 240], "tolerance": "5 %"},
         {"use": "fitted", "predicted": "a.t", "predicted_to": "2 * a.t", "published": 200},
         {"predicted": "a.ok", "published": true, "tolerance": 0},
         {"predicted": "a.t", "predicted_to": "2 * a.t", "published": 200},
         {"predicted": "a.t", "between": [0, 300]},
         {"ascending": ["a.t", "2 * a.t"]},
         {"predicted": "a.t", "trend": "rises"},
         {"use": "order", "predicted": "a.t", "published": 10, "between": [0, null]})~",
             R"("batch": [1, 2])");
  ValidationReport report = judge_rows({row}, runs_of(table));
  MeasuredSetReport set;
  set.rows = {{"x", 1.1, 1}, {"y", 0.6, 1}};
  report.measured.push_back(set);
  set.kind = FigureKind::kFitted;
  set.rows = {{"z", 1, 1}};
  report.measured.push_back(set);
  const std::vector<KindReport> kinds = kinds_of(report);
  REQUIRE(kinds.size() == 5);
  const auto check = [&](std::size_t i, FigureKind kind, bool networks, std::size_t figures,
                         std::size_t hold, std::size_t n, double median, double mean,
                         double largest) {
    CAPTURE(i);
    CHECK(kinds[i].kind == kind);
    CHECK(kinds[i].networks == networks);
    CHECK(kinds[i].figures == figures);
    CHECK(kinds[i].hold == hold);
    CHECK(kinds[i].errors.count == n);
    CHECK(kinds[i].errors.median == doctest::Approx(median));
    CHECK(kinds[i].errors.mean == doctest::Approx(mean));
    CHECK(kinds[i].errors.largest == doctest::Approx(largest));
  };
  check(0, FigureKind::kPredicted, false, 3, 2, 3, 0.2, 0.74 / 3, 0.5);  // +4, +20, -50 %
  check(1, FigureKind::kPredicted, true, 2, 0, 2, 0.25, 0.25, 0.4);
  check(2, FigureKind::kFitted, false, 4, 3, 2, 0.02, 0.02, 0.04);  // 240 to 480 misses 200
  check(3, FigureKind::kFitted, true, 1, 0, 1, 0, 0, 0);
  check(4, FigureKind::kOrder, false, 11, 10, 0, 0, 0, 0);
}

TEST_CASE(
    "figures with the same cause share a paragraph, and an unmarked one says by how much it "
    "fails") {
  const Table table{{"predict a 1", {{"t", 3}}}, {"predict a 2", {{"t", 5}}}};
  const ValidationRow row = row_of(
      R"("a": "predict a {batch}")",
      R"({"name": "x", "predicted": "a.t", "between": [0, 1], "known": {"cause": "why", "points": [1]}},
         {"name": "y", "predicted": "a.t", "between": [0, 1], "known": "why"})",
      R"("batch": [1, 2])");
  const std::string text = table_validation(judge_rows({row}, runs_of(table)), {});
  CHECK(text.find("\n  R1   x, at 1; y, at 1; 2: why\n") != std::string::npos);
  CHECK(text.find("\n  R1   x, at 2: predicted 5, 0 to 1\n") != std::string::npos);
}

TEST_CASE("CSV has one line a figure, in base units") {
  const std::string text = csv_validation(sample(), {});
  CHECK(
      text.find(
          "row,check,point,use,rule,predicted,reference,deviation,tolerance,low,high,verdict,unit,"
          "source,file,kind\n") == 0);
  CHECK(text.find("\nR1,time,2,tight,tolerance,240000000,200000000,0.") != std::string::npos);
  CHECK(text.find(",fails_known,ms,nobody,row.json,predicted\n") != std::string::npos);
  CHECK(text.find("\nR1,later,,tight,between,,,,,,,not_run,,nobody,row.json,order\n") !=
        std::string::npos);
}

TEST_CASE(
    "JSON has numbers in the check's unit, truth values as such, null for what is not there") {
  const std::string text = json_validation(sample(), {});
  CHECK(text.find("\"format\": \"ooc-paleo/validation\"") != std::string::npos);
  CHECK(text.find("\"fails_known\": 0") != std::string::npos);  // the row fails in order
  CHECK(text.find("\"order_fails\": 1") != std::string::npos);
  CHECK(text.find("240.0") != std::string::npos);
  CHECK(text.find("\"reference\": true") != std::string::npos);
  CHECK(text.find("\"verdict\": \"not_run\"") != std::string::npos);
  CHECK(text.find("\"cause\": \"the second is slow\"") != std::string::npos);
}
