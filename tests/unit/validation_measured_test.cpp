// Data sets of measured networks: read, judged, told.
#include "model/base/errors.hpp"
#include "reports/validation/measured_networks.hpp"
#include "reports/validation/validation_report.hpp"
#include "reports/writers/validation_text.hpp"
#include "reports/writers/writer.hpp"
#include "tests/support/test.hpp"

using namespace ooc;

namespace {

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

MeasuredSet measured_read(const std::string& text) {
  return read_measured_set(read_spec_text(text, "set.json"));
}

std::string measured_error(const std::string& text) {
  try {
    (void)measured_read(text);
  } catch (const SpecError& error) {
    CHECK(error.parts().file == "set.json");
    return error.parts().place + " | " + error.parts().found;
  }
  return "no error";
}

/// Predictions in seconds, row by row.
FileReport judged(const std::vector<double>& seconds) {
  const MeasuredSet set = measured_read(kSet);
  FileReport report{.file = set.file, .networks = true, .goal = set.goal};
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const Figure& row = set.file.rows[i];
    report.rows.push_back(
        {.figure = row, .predicted = seconds[i], .deviation = seconds[i] / *row.published - 1});
  }
  return report;
}

}  // namespace

TEST_CASE("rows have what they say, else what all rows have") {
  const MeasuredSet set = measured_read(kSet);
  CHECK(is_measured_set(read_spec_text(kSet, "set.json")));
  REQUIRE(set.networks.size() == 2);
  CHECK(set.goal == 0.08);
  const MeasuredNetwork& first = set.networks[0];
  CHECK(set.file.rows[0].published == doctest::Approx(0.1));
  CHECK(first.pass == MeasuredPass::kTraining);
  const MeasuredStack& old = set.stacks[first.stack];
  CHECK(old.name == "old");
  CHECK(old.input_gradient);
  CHECK(old.far_parameters);
  CHECK(old.framework == "ideal");
  CHECK(old.with);
  const MeasuredNetwork& second = set.networks[1];
  CHECK(set.file.rows[1].published == doctest::Approx(0.05));
  CHECK(second.pass == MeasuredPass::kInference);
  CHECK(set.stacks[second.stack].framework == "pytorch-2");
  CHECK_FALSE(set.stacks[second.stack].with);
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
  CHECK(has(json, "\"measured_networks\": ["));
  CHECK(has(json, "\"kind\": \"predicted\""));
  const std::string csv = csv_validation(report, {});
  CHECK(has(csv, "mine,\"vgg16, batch 32, float32 training, a, old\",,predicted,,0.11,0.1,s,"));
}
