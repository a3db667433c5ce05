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
        "             predicted  reference  deviation  allowed  use    verdict\n"
        "R1   a row [nobody]\n"
        "    time, 1     104 ms     100 ms     +4.0 %  ± 5 %    tight  holds\n"
        "    time, 2     240 ms     200 ms    +20.0 %  ± 5 %    tight  fails (known)\n"
        "    fits, 1        yes        yes             exactly  order  holds\n"
        "    fits, 2         no        yes             exactly  order  FAILS\n"
        "    later            -                                 tight  not run\n"
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
        "1 row: 0 hold, 1 FAILS in order only\n");
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
          "source,file\n") == 0);
  CHECK(text.find("\nR1,time,2,tight,tolerance,240000000,200000000,0.") != std::string::npos);
  CHECK(text.find(",fails_known,ms,nobody,row.json\n") != std::string::npos);
  CHECK(text.find("\nR1,later,,tight,between,,,,,,,not_run,,nobody,row.json\n") !=
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
