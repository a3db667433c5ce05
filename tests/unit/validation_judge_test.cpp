// Verdicts: every rule holding and failing, marks, points, runs filled in.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/unit/validation_support.hpp"

using namespace ooc;

namespace {

const Verdict H = Verdict::kHolds;
const Verdict F = Verdict::kFails;
using Verdicts = std::vector<Verdict>;

const double kNone = std::nan("");
/// Times at batches 1, 2, 4; b has none at 4.
const Table kTable{{"predict a 1", {{"t", 100}}},
                   {"predict a 2", {{"t", 210}}},
                   {"predict a 4", {{"t", 390}}},
                   {"predict b 1", {{"t", 110}}},
                   {"predict b 2", {{"t", 205}}},
                   {"predict b 4", {{"t", kNone}}},
                   {"inspect c", {{"size", 1e9}, {"fits", 1}}}};
const std::string kRuns = R"("a": "predict a {batch}", "b": "predict b {batch}", "c": "inspect c")";

Verdicts of(const std::string& check) {
  return verdicts(row_of(kRuns, check, R"("batch": [1, 2, 4])"), runs_of(kTable));
}

}  // namespace

TEST_CASE("a tolerance is a share of the reference, its ends included") {
  // 100 / 100, 210 / 200 = +5 %, 390 / 400 = -2.5 %
  CHECK(of(R"({"predicted": "a.t", "published": [100, 200, 400], "tolerance": "5 %"})") ==
        Verdicts{H, H, H});
  CHECK(of(R"({"predicted": "a.t", "published": [100, 200, 400], "tolerance": "4.9 %"})") ==
        Verdicts{H, F, H});
  CHECK(of(R"({"predicted": "a.t", "published": [100, 200, 400], "tolerance": "2.4 %"})") ==
        Verdicts{H, F, F});
  // One reference stands for all.
  CHECK(of(R"({"predicted": "a.t", "published": 200, "tolerance": "5 %"})") == Verdicts{F, H, F});
  CHECK(of(R"({"predicted": "c.fits", "published": true, "tolerance": 0})") == Verdicts{H});
  CHECK(of(R"({"predicted": "c.fits", "published": false, "tolerance": 0})") == Verdicts{F});
}

TEST_CASE("a band includes its ends, which may be open or formulas") {
  CHECK(of(R"({"predicted": "a.t", "between": [100, 210]})") == Verdicts{H, H, F});
  CHECK(of(R"({"predicted": "a.t", "between": [101, null]})") == Verdicts{F, H, H});
  CHECK(of(R"({"predicted": "a.t", "between": [null, 209]})") == Verdicts{H, F, F});
  CHECK(of(R"({"predicted": "a.t", "between": ["b.t - 10", "b.t"]})") == Verdicts{H, F, F});
  CHECK(of(R"({"predicted": "c.size", "unit": "GB", "between": [1, 1]})") == Verdicts{H});
}

TEST_CASE("a published figure lies inside a predicted interval, or does not") {
  CHECK(of(R"({"predicted": "a.t", "predicted_to": "b.t", "published": 105})") ==
        Verdicts{H, F, F});
  CHECK(of(R"({"predicted": "a.t", "predicted_to": "2 * a.t", "published": 200})") ==
        Verdicts{H, F, F});
}

TEST_CASE("ascending: each less than the next, at every point") {
  // 100 < 110; 210 > 205; b has no figure at 4.
  CHECK(of(R"({"ascending": ["a.t", "b.t"]})") == Verdicts{H, F, F});
  CHECK(of(R"~({"ascending": ["a.t", "otherwise(b.t, 1e9)"]})~") == Verdicts{H, F, H});
  CHECK(of(R"({"ascending": [1, 2, 2]})") == Verdicts{F});
  CHECK(of(R"({"ascending": [1, 2, 3]})") == Verdicts{H});
}

TEST_CASE("a trend is one verdict over all points") {
  CHECK(of(R"({"predicted": "a.t", "trend": "rises"})") == Verdicts{H});
  CHECK(of(R"({"predicted": "a.t", "trend": "falls"})") == Verdicts{F});
  CHECK(of(R"({"predicted": "a.t / batch", "trend": "falls"})") == Verdicts{F});  // 100, 105, 97.5
  CHECK(of(R"({"predicted": "a.t * 0", "trend": "rises"})") == Verdicts{F});
  CHECK(of(R"({"predicted": "a.t * 0", "trend": "never rises"})") == Verdicts{H});
  CHECK(of(R"({"predicted": "a.t * 0", "trend": "never falls"})") == Verdicts{H});
  CHECK(of(R"({"predicted": "b.t", "trend": "never falls"})") == Verdicts{F});
}

TEST_CASE("a figure that is not known never holds, and says why") {
  const RowReport report = judge_row(
      row_of(kRuns, R"({"predicted": "b.t", "between": [null, 1e9]})", R"("batch": [1, 2, 4])"),
      runs_of(kTable));
  const PointReport& last = report.checks[0].points[2];
  CHECK(last.verdict == F);
  CHECK(last.note == "b does not fit");
  CHECK(last.point == "4");
  CHECK(report.checks[0].points[0].note == "");
}

TEST_CASE("a known failure is called so, and a mark that is no longer true is called out") {
  const std::string rule =
      R"("predicted": "a.t", "published": [100, 200, 400], "tolerance": "4 %")";
  CHECK(of("{" + rule + R"(, "known": "why"})") == Verdicts{H, Verdict::kKnown, H});
  CHECK(of("{" + rule + R"(, "known": {"cause": "why", "points": [2]}})") ==
        Verdicts{H, Verdict::kKnown, H});
  CHECK(of("{" + rule + R"(, "known": {"cause": "why", "points": [2, 4]}})") ==
        Verdicts{H, Verdict::kKnown, Verdict::kUnexpected});
  CHECK(of("{" + rule + R"(, "known": {"cause": "why", "points": [4]}})") ==
        Verdicts{H, F, Verdict::kUnexpected});
  CHECK(of(R"({"predicted": "c.size", "between": [0, null], "known": "why"})") ==
        Verdicts{Verdict::kUnexpected});
}

TEST_CASE("what is pending is not run") {
  const ValidationRow row = row_of(
      R"("a": "no such thing")", R"({"predicted": "a.t", "between": [0, 1], "pending": "later"})");
  CHECK(verdicts(row, runs_of({})) == Verdicts{Verdict::kNotRun});
}

TEST_CASE("rows are counted by the worst of their figures, order apart from the rest") {
  const auto row = [&](const std::string& checks) {
    return row_of(kRuns, checks, R"("batch": [1, 2, 4])");
  };
  const std::string good = R"({"predicted": "c.size", "between": [0, null]})";
  const std::string bad = R"({"predicted": "c.size", "between": [0, 1]})";
  const std::string bad_order = R"({"use": "order", "predicted": "c.size", "between": [0, 1]})";
  const std::string known = R"({"predicted": "c.size", "between": [0, 1], "known": "why"})";
  const std::string marked = R"({"predicted": "c.size", "between": [0, null], "known": "why"})";
  const std::string pending = R"({"predicted": "c.size", "between": [0, 1], "pending": "why"})";
  const auto report = [&](const std::vector<ValidationRow>& rows) {
    return judge_rows(rows, runs_of(kTable));
  };
  const ValidationReport all =
      report({row(good), row(good + "," + bad), row(bad_order + "," + good),
              row(known + "," + good), row(marked), row(pending), row(known + "," + bad_order)});
  CHECK(all.summary.rows == 7);
  CHECK(all.summary.hold == 2);  // good; marked
  CHECK(all.summary.fail == 1);
  CHECK(all.summary.fail_order == 2);
  CHECK(all.summary.known == 1);
  CHECK(all.summary.not_run == 1);
  CHECK(all.summary.unexpected == 1);
  CHECK(fails(all));
  // Neither order nor what is known makes the command fail.
  CHECK_FALSE(fails(report({row(good), row(bad_order), row(known), row(marked), row(pending)})));
}

TEST_CASE("runs are filled in with points, and with figures of other runs") {
  std::vector<std::string> made;
  const MakeRun runs = [&](const RowRun& run) -> std::vector<RunFigures> {
    made.push_back(run.text);
    return {{.numbers = {{"max", 15}, {"t", 1}}, .note = {}, .label = {}}};
  };
  const ValidationRow row = row_of(
      R"("base": "max-batch {network}", "more": "predict {network} --batch {floor(1.3 * base.max)} --x {n}")",
      R"({"predicted": "more.t", "between": [0, null]})",
      R"("network": ["u", "v"], "n": [1, 2.5])");
  CHECK(verdicts(row, runs) == Verdicts{H, H});
  // 1.3 x 15 = 19.5
  CHECK(std::find(made.begin(), made.end(), "predict u --batch 19 --x 1") != made.end());
  CHECK(std::find(made.begin(), made.end(), "predict v --batch 19 --x 2.5") != made.end());
}

TEST_CASE("a run that hangs on what another one does not know is not made, and its points fail") {
  std::vector<std::string> made;
  const MakeRun runs = [&](const RowRun& run) -> std::vector<RunFigures> {
    made.push_back(run.text);
    const bool fits = run.text != "max-batch v";
    return {{.numbers = {{"max", fits ? 15 : std::nan("")}, {"t", 1}},
             .note = fits ? "" : "does not fit",
             .label = {}}};
  };
  const ValidationRow row =
      row_of(R"("base": "max-batch {network}", "more": "predict {network} --batch {2 * base.max}")",
             R"({"predicted": "more.t", "between": [0, null]})", R"("network": ["u", "v"])");
  const RowReport report = judge_row(row, runs);
  CHECK(report.checks[0].points[0].verdict == H);
  CHECK(report.checks[0].points[1].verdict == F);
  CHECK(report.checks[0].points[1].note ==
        "base does not fit; more hangs on \"2 * base.max\", which is not known");
  CHECK(std::none_of(made.begin(), made.end(),
                     [](const std::string& text) { return text.starts_with("predict v"); }));
}

TEST_CASE("runs that wait for each other, unknown metrics and open braces are refused") {
  const MakeRun runs = runs_of({{"inspect c", {{"size", 1}}}});
  const std::string check = R"({"predicted": "a.size", "between": [0, null]})";
  const auto message = [&](const std::string& run, const std::string& which) {
    try {
      (void)judge_row(row_of(run, which), runs);
    } catch (const SpecError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(message(R"("a": "predict {a.size}")", check).find("wait for each other") !=
        std::string::npos);
  CHECK(message(R"("a": "predict {b.size}")", check).find("the run \"b\"") != std::string::npos);
  CHECK(message(R"("a": "predict {1")", check).find("\"{\" without \"}\"") != std::string::npos);
  CHECK(message(R"("a": "inspect c")", R"({"predicted": "a.sizes", "between": [0, 1]})")
            .find("did you mean size?") != std::string::npos);
}

TEST_CASE("replays are points of their own, each judged and named") {
  const MakeRun runs = [](const RowRun&) -> std::vector<RunFigures> {
    return {{.numbers = {{"predicted_ns", 100}, {"measured_ns", 104}, {"error", -0.04}},
             .note = {},
             .label = "x"},
            {.numbers = {{"predicted_ns", 100}, {"measured_ns", 80}, {"error", 0.25}},
             .note = {},
             .label = "y"}};
  };
  const ValidationRow row =
      row_of(R"("r": {"replays": "folder"})",
             R"~({"predicted": "r.predicted_ns", "measured": "r.measured_ns", "tolerance": "10 %"},
                {"predicted": "max(abs(r.error))", "between": [0, "25 %"]
},
                {"predicted": "mean(abs(r.error))", "between": [0, "14 %"]})~");
  const RowReport report = judge_row(row, runs);
  REQUIRE(report.checks[0].points.size() == 2);
  CHECK(report.checks[0].points[0].point == "x");
  CHECK(report.checks[0].points[0].verdict == H);
  CHECK(report.checks[0].points[1].point == "y");
  CHECK(report.checks[0].points[1].verdict == F);
  CHECK(report.checks[1].points[0].verdict == H);
  CHECK(report.checks[2].points[0].verdict == F);  // 14.5 %
}
