// Published figures: rows are read, judged and told.
#include "model/base/errors.hpp"
#include "reports/validation/validation_report.hpp"
#include "reports/writers/text_table.hpp"
#include "reports/writers/writer.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

std::string figures_text(const std::string& rows, const std::string& all = "") {
  return R"({"format": "ooc-paleo/figures", "version": 1, "id": "R1", "title": "rows", "source": "nobody",
)" + (all.empty() ? "" : "\"all\": " + all + ",\n") +
         "\"rows\": [" + rows + "]}";
}

FigureFile figures_read(const std::string& rows, const std::string& all = "") {
  return read_figures(read_spec_text(figures_text(rows, all), "rows.json"));
}

std::string figures_error(const std::string& rows, const std::string& all = "") {
  const auto error = error_parts([&] { return figures_read(rows, all); });
  return error.place.empty() ? error.found : error.place + " | " + error.found;
}

/// Looks the number up by batch and metric.
using Numbers = std::map<std::string, double>;
FigureReport judged_row(const std::string& row, const Numbers& numbers) {
  const FigureFile file = figures_read(row);
  return judge(file.rows.at(0), [&](const Asked& asked, const SpecView&) {
    const double number = numbers.at(asked.job.at("batch") + " " + asked.metric);
    return Answer{.number = number, .note = number != number ? "does not fit" : ""};
  });
}

Verdict verdict(const std::string& rest, double number) {
  return judged_row(R"({"name": "n", "kind": "predicted", "job": {"batch": 1}, "metric": "t", )" +
                        rest + "}",
                    {{"1 t", number}})
      .verdict;
}

const std::string kAll =
    R"({"job": {"network": "vgg16", "sub_batch": "auto", "restore": true}, "metric": "t", "kind": "fitted", "tolerance": "5 %"})";

TEST_CASE("a row takes from all what it does not say, of its job flag by flag") {
  const FigureFile file = figures_read(
      R"({"name": "swap", "at": 256, "job": {"batch": 256}, "published": 2, "unit": "s"},
         {"name": "fits", "job": {"restore": false, "sub_batch": 4}, "kind": "order", "published": true, "group": "g"})",
      kAll);
  const Figure& swap = file.rows[0];
  CHECK(label_of(swap) == "swap, 256");
  CHECK(swap.kind == FigureKind::kFitted);
  CHECK(swap.tolerance == doctest::Approx(0.05));
  CHECK(swap.source == "nobody");
  CHECK(words_of(swap.asked) == std::vector<std::string>{"predict", "vgg16", "--batch", "256",
                                                         "--restore", "--sub-batch", "auto"});
  const Figure& fits = file.rows[1];
  CHECK(fits.is_truth);
  CHECK(fits.kind == FigureKind::kOrder);
  CHECK(fits.group == "g");
  CHECK(words_of(fits.asked) == std::vector<std::string>{"predict", "vgg16", "--sub-batch", "4"});
}

TEST_CASE("against is a ratio, minus a difference; both take the rest from the row's job") {
  const std::string row = R"({"name": "n", "kind": "order", "job": {"batch": 2}, "metric": "t", )";
  const Numbers numbers{{"2 t", 12e6}, {"1 t", 8e6}, {"2 u", 16e6}};
  CHECK(judged_row(row + R"("against": {"job": {"batch": 1}}})", numbers).predicted == 1.5);
  CHECK(judged_row(row + R"("against": {"metric": "u"}})", numbers).predicted == 0.75);
  CHECK(judged_row(row + R"("minus": {"job": {"batch": 1}}, "unit": "ms"})", numbers).predicted ==
        4);
  CHECK(judged_row(row + R"("against": {"job": {"batch": 1}}, "unit": "% more"})", numbers)
            .predicted == doctest::Approx(50));
  CHECK(judged_row(row + R"("against": {"metric": "u"}, "unit": "% less"})", numbers).predicted ==
        doctest::Approx(25));
}

TEST_CASE("a row holds within its tolerance and its ends, which count") {
  CHECK(verdict(R"("published": 100, "tolerance": "5 %")", 105) == Verdict::kHolds);
  CHECK(verdict(R"("published": 100, "tolerance": "5 %")", 106) == Verdict::kFails);
  CHECK(verdict(R"("published": 100, "tolerance": "5 %")", 94) == Verdict::kFails);
  CHECK(verdict(R"("published": true, "tolerance": 0)", 1) == Verdict::kHolds);
  CHECK(verdict(R"("published": true, "tolerance": 0)", 0) == Verdict::kFails);
  CHECK(verdict(R"("between": [1, 2])", 2) == Verdict::kHolds);
  CHECK(verdict(R"("between": [1, 2])", 2.1) == Verdict::kFails);
  CHECK(verdict(R"("between": [null, 2])", -9) == Verdict::kHolds);
  CHECK(verdict(R"("between": [1, null])", 0.9) == Verdict::kFails);
  CHECK(verdict(R"("published": 100)", 900) == Verdict::kReported);
}

TEST_CASE("what is not known never holds, and says why") {
  CHECK(verdict(R"("between": [0, null])", kUnknown) == Verdict::kFails);
  CHECK(verdict(R"("published": 1, "tolerance": "5 %")", kUnknown) == Verdict::kFails);
  const FigureReport row = judged_row(
      R"({"name": "n", "kind": "order", "job": {"batch": 2}, "metric": "t", "against": {"job": {"batch": 1}}})",
      {{"2 t", 1}, {"1 t", kUnknown}});
  CHECK(row.why == "does not fit");
  CHECK_FALSE(row.deviation);
}

TEST_CASE("a known failure is called so, and a mark that is no longer true, too") {
  CHECK(verdict(R"("published": 1, "tolerance": 0, "known": "cause")", 2) == Verdict::kKnown);
  CHECK(verdict(R"("published": 1, "tolerance": 0, "known": "cause")", 1) == Verdict::kUnexpected);
}

TEST_CASE("a bad row is refused at its place") {
  const std::string job = R"("metric": "t", "job": {"batch": 1}, "kind": "order")";
  CHECK(figures_error("") == "/rows | an empty list");
  CHECK(figures_error("{" + job + "}").starts_with("/rows/0"));
  CHECK(figures_error(R"({"name": "n", "job": {}, "kind": "order"})") == "/rows/0 | no \"metric\"");
  CHECK(figures_error(R"({"name": "n", "metric": "t"})") == "/rows/0 | no \"kind\"");
  const auto with = [&](const std::string& more) {
    return figures_error("{\"name\": \"n\", " + more + ", " + job + "}");
  };
  CHECK(with(R"("published": 1)") == "no error");
  CHECK(with(R"("tolerance": 0)") == "/rows/0 | no \"published\"");
  CHECK(with(R"("command": "copy")") == "no error");
  CHECK(with(R"("command": "sweep")") == "/rows/0/command | \"sweep\"");
  CHECK(with(R"("between": [1])") == "/rows/0/between | a list of 1");
  CHECK(with(R"("between": [null, null])") == "/rows/0/between | two open ends");
  CHECK(with(R"("against": {})") == "/rows/0/against | the row's own job and metric");
  CHECK(with(R"("against": {"metric": "u"}, "minus": {"metric": "u"})") ==
        "/rows/0 | \"against\" and \"minus\"");
  CHECK(with(R"("tolerence": 1)").starts_with("/rows/0/tolerence"));
  const std::string same = "{\"name\": \"n\", " + job + "}";
  CHECK(figures_error(same + "," + same) == "/rows/1 | a second row \"n\"");
  CHECK(figures_error(same, R"({"unti": "s"})").starts_with("/all/unti"));
}

ValidationReport sample() {
  ValidationReport report;
  report.files.push_back(
      {.file = figures_read(
           R"({"name": "time", "at": 1, "job": {"batch": 1}, "metric": "t", "published": 100, "unit": "ms", "tolerance": "5 %", "kind": "predicted", "group": "swapping"},
         {"name": "time", "at": 2, "job": {"batch": 2}, "metric": "t", "published": 200, "unit": "ms", "tolerance": "5 %", "kind": "predicted", "group": "swapping", "known": "the second is slow"},
         {"name": "fits", "job": {"batch": 2}, "metric": "ok", "published": true, "tolerance": 0, "kind": "order"},
         {"name": "more", "job": {"batch": 2}, "metric": "t", "published": 300, "unit": "ms", "kind": "fitted"})")});
  FileReport& file = report.files.back();
  for (const Figure& row : file.file.rows) {
    file.rows.push_back(judge(row, [](const Asked& asked, const SpecView&) {
      return Answer{.number = asked.metric == "ok"           ? 0
                              : asked.job.at("batch") == "1" ? 104e6
                                                             : 240e6};
    }));
  }
  return report;
}

TEST_CASE("many files are a line each") {
  ValidationReport report = sample();
  while (report.files.size() < 8) {
    report.files.push_back(report.files[0]);
    report.files.back().file.id = "R" + std::to_string(report.files.size());
  }
  const std::string text = table_validation(report, {});
  CHECK(has(text, "\n  R8   rows "));
  CHECK(has(text, " 4  1 of 3  3  20.0 %  14.7 %   20.0 %  +1.3 %\n"));
  CHECK_FALSE(has(text, "104 ms"));
}

TEST_CASE("what cannot be asked is counted with its reason") {
  ValidationReport report = sample();
  std::string text = figures_text(R"({"name": "n", "metric": "t", "kind": "order"})");
  text.insert(1, R"("left_out": [{"figures": 31, "reason": "experts split over devices"}], )");
  report.files[0].file.left_out = read_figures(read_spec_text(text, "rows.json")).left_out;
  CHECK(has(table_validation(report, {}),
            "  cannot be asked  why                         figures\n"
            "  R1               experts split over devices       31\n"));
  CHECK(has(json_validation(report, {}), "\"reason\": \"experts split over devices\""));
}

// Data sets of measured networks: read, judged, told.

const std::string kSet = R"({
  "format": "ooc-paleo/measured-networks", "version": 1,
  "id": "mine", "title": "two cards", "source": "a bench", "role": "held out", "goal": 0.08,
  "software": {
    "old": {"framework": "ideal", "with": {"cudnn": "5.1"}, "input_gradient": true, "far_parameters": true},
    "new": {"framework": "pytorch-2"}
  },
  "all": {"dtype": "float32", "measured": "training", "software": "old"},
  "rows": [
    {"network": "vgg16", "hardware": "a", "batch": 32, "time": "100 ms"},
    {"network": "vgg16", "hardware": "b", "batch": 32, "samples_per_s": 640, "software": "new", "measured": "inference"}
  ]
})";

std::string measured_with(const std::string& piece, const std::string& other) {
  std::string text = kSet;
  const std::size_t at = text.find(piece);
  REQUIRE_MESSAGE(at != std::string::npos, piece);
  return text.replace(at, piece.size(), other);
}

FigureFile measured_read(const std::string& text,
                         const std::optional<std::string>& framework = {}) {
  return read_figures(read_spec_text(text, "set.json"), framework);
}

std::string measured_error(const std::string& text) {
  const auto error = error_parts([&] { return measured_read(text); });
  CHECK(error.file == "set.json");
  return error.place + " | " + error.found;
}

/// Predictions in seconds, row by row.
FileReport judged(const std::vector<double>& seconds) {
  FileReport report{.file = measured_read(kSet)};
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    report.rows.push_back(judge(report.file.rows[i], [&](const Asked&, const SpecView&) {
      return Answer{.number = 1e9 * seconds[i]};
    }));
  }
  return report;
}

TEST_CASE("rows have what they say, else what all rows have") {
  const FigureFile set = measured_read(kSet);
  REQUIRE(set.rows.size() == 2);
  const Figure& first = set.rows[0];
  CHECK(first.published == doctest::Approx(0.1));
  CHECK(first.asked.job.at("measured") == "training");
  CHECK(first.group == "networks in core, other software than shipped");
  const MeasuredSoftware& old = *first.asked.software;
  CHECK(old.input_gradient);
  CHECK(old.far_parameters);
  CHECK(old.with);
  const Figure& second = set.rows[1];
  CHECK(second.published == doctest::Approx(0.05));
  CHECK(second.asked.job.at("measured") == "inference");
  CHECK(second.group == "networks in core under pytorch-2");
  CHECK(second.asked.software->framework == "pytorch-2");
  CHECK_FALSE(second.asked.software->with);
}

TEST_CASE("another framework replaces what the rows say of theirs, kernels included") {
  const Figure row = measured_read(kSet, "chainer").rows[0];
  CHECK(row.group == "networks in core under chainer");
  CHECK(row.asked.software->framework == "chainer");
}

TEST_CASE("what is wrong with a data set is told with its place") {
  CHECK(measured_error(measured_with("\"100 ms\"", "\"0 s\"")) == "/rows/0/time | \"0 s\"");
  CHECK(measured_error(measured_with("\"samples_per_s\": 640", "\"samples_per_s\": 0")) ==
        "/rows/1/samples_per_s | 0");
  CHECK(measured_error(
            measured_with("\"samples_per_s\": 640", "\"time\": \"1 s\", \"samples_per_s\": 640")) ==
        "/rows/1/time | a time beside \"samples_per_s\"");
  CHECK(measured_error(measured_with("\"software\": \"new\"", "\"software\": \"neww\""))
            .starts_with("/rows/1/software"));
  CHECK(measured_error(measured_with("\"cudnn\": \"5.1\"", "\"cudnn\": \"five\"")) ==
        "/software/old/with/cudnn | \"five\"");
  CHECK(measured_error(measured_with("\"role\": \"held out\"", "\"role\": \"good\""))
            .starts_with("/role"));
  CHECK(measured_error(
            measured_with("\"network\": \"vgg16\", \"hardware\": \"a\"", "\"network\": \"vgg16\""))
            .starts_with("/rows/0"));
  CHECK(has(measured_error(measured_with("\"goal\"", "\"gaol\"")), "gaol"));
}

TEST_CASE("errors of a data set: mean, median, largest, and the bias with its sign") {
  const ErrorStatistics errors = errors_of(judged({0.11, 0.04}));  // +10 %, -20 %
  CHECK(errors.count == 2);
  CHECK(errors.mean == doctest::Approx(0.15));
  CHECK(errors.median == doctest::Approx(0.15));
  CHECK(errors.largest == doctest::Approx(0.2));
  CHECK(errors.bias == doctest::Approx(-0.05));
}

TEST_CASE("a data set is a line, alone it shows its rows, and a goal that is missed is said") {
  ValidationReport report;
  report.files.push_back(judged({0.11, 0.04}));
  const std::string one = table_validation(report, {});
  CHECK(has(one, "vgg16, batch 32, float32 training, a, old"));
  CHECK(has(one, "8.0 % missed"));
  CHECK(has(one, "-5.0 %"));
  while (report.files.size() < 8) report.files.push_back(judged({0.1, 0.05}));
  const std::string two = table_validation(report, {});
  CHECK_FALSE(has(two, "batch 32"));
  const std::string json = json_validation(report, {});
  CHECK(has(json, "\"goal\": 0.08"));
  CHECK(has(json, "\"job\": \"time vgg16 --batch 32 "));
  const std::string csv = csv_validation(report, {});
  CHECK(has(csv,
            "training, a, old\",,predicted,\"networks in core, other software than "
            "shipped\",0.11,0.1,s,"));
}

}  // namespace
}  // namespace ooc::test
